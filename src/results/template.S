/* The page of reports, web/dist/report.html, as bytes of the library. */
    .section .rodata
    .global ki_page_template
    .global ki_page_template_end
    .hidden ki_page_template
    .hidden ki_page_template_end
ki_page_template:
    .incbin KEEL_PAGE_TEMPLATE
ki_page_template_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
