#include "cli.h"
#include "reproduce.h"

void cli_tally_add(cli_tally *tally, const keel_paper *paper) {
    for (int i = 0; i < paper->claim_count; i++) {
        const keel_claim *claim = &paper->claims[i];
        tally->claims++;
        tally->verdicts[claim->verdict]++;
        tally->robust += claim->robust;
        tally->robust_differ += claim->robust && claim->verdict == KEEL_DIFFERS;
    }
}

static void write_claims(FILE *file, const keel_paper *paper) {
    fprintf(file, "%s\n", paper->title);
    for (int i = 0; i < paper->claim_count; i++) {
        const keel_claim *claim = &paper->claims[i];
        fprintf(file, "  %-32s %-14s  %-60s  %s\n", claim->id, keel_verdict_text(claim->verdict),
                claim->claim, claim->measured);
    }
    fputs("\n", file);
}

/* Those that differ although they must not, or the others that differ. */
static void write_differences(FILE *file, keel_paper *const papers[KEEL_PAPERS], bool robust) {
    for (int k = 0; k < KEEL_PAPERS; k++)
        for (int i = 0; papers[k] && i < papers[k]->claim_count; i++) {
            const keel_claim *claim = &papers[k]->claims[i];
            if (claim->verdict == KEEL_DIFFERS && !claim->robust == !robust)
                fprintf(file, "  %s: %s; paper: %s; Keel: %s; %s\n", claim->id, claim->what, claim->claim,
                        claim->measured, claim->why);
        }
}

void cli_reproduce_text(FILE *file, keel_paper *const papers[KEEL_PAPERS]) {
    cli_tally tally = {0};
    fprintf(file, "  %-32s %-14s  %-60s  %s\n\n", "paper and place", "verdict", "paper", "Keel");
    for (int i = 0; i < KEEL_PAPERS; i++)
        if (papers[i]) {
            write_claims(file, papers[i]);
            cli_tally_add(&tally, papers[i]);
        }
    fprintf(file, "%d claims: agrees %d, differs %d, not comparable %d\n", tally.claims,
            tally.verdicts[KEEL_AGREES], tally.verdicts[KEEL_DIFFERS], tally.verdicts[KEEL_NOT_COMPARABLE]);
    if (tally.verdicts[KEEL_DIFFERS] > tally.robust_differ) {
        fprintf(file,
                "\nClaims that differ, as they depend on what the paper does not say, or gets wrong:\n");
        write_differences(file, papers, false);
    }
    if (tally.robust_differ) {
        fprintf(file, "\nClaims that differ and should agree:\n");
        write_differences(file, papers, true);
    } else {
        fprintf(file, "\nAll %d robust claims agree.\n", tally.robust);
    }
}
