// Bundles src/ into dist/report.html: one file with script, style and the empty place for the data.
// Run as `node build.mjs`; the result depends on the sources and package-lock.json only.

import { createHash } from "node:crypto";
import { readFile, mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const DATA = '<script id="keel-data" type="application/json">null</script>';

async function bundle(entry) {
  const result = await build({
    entryPoints: [here(entry)],
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2021"],
    charset: "utf8",
    legalComments: "none", // their licences stand in the head of the page
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trimEnd();
}

async function licences() {
  const texts = await Promise.all(
    ["three", "uplot"].map(async (name) => {
      const { version } = JSON.parse(await readFile(here(`node_modules/${name}/package.json`), "utf8"));
      const licence = await readFile(here(`node_modules/${name}/LICENSE`), "utf8");
      return `${name} ${version}\n\n${licence.trim()}`;
    }),
  );
  return `<!--\nThis page contains the following libraries.\n\n${texts.join("\n\n")}\n-->`;
}

function fill(template, place, text) {
  if (template.split(place).length !== 2) throw new Error(`the template must contain ${place} once`);
  return template.replace(place, () => text);
}

/** The one element of its kind that the browser may obey: any other, as text of a model might become, it ignores. */
function hash(content) {
  return createHash("sha256").update(content, "utf8").digest("base64");
}

const style = await bundle("src/page.css");
const script = await bundle("src/main.ts");
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would close its own element");

let page = await readFile(here("src/template.html"), "utf8");
page = fill(page, "<!-- LICENSES -->", await licences());
page = fill(page, "STYLE-HASH", hash(style));
page = fill(page, "SCRIPT-HASH", hash(script));
page = fill(page, "/* STYLE */", style);
page = fill(page, "/* SCRIPT */", script);
if (page.split(DATA).length !== 2) throw new Error("the page must have exactly one place for the data");

await mkdir(here("dist"), { recursive: true });
await writeFile(here("dist/report.html"), page);
console.log(`web/dist/report.html: ${(Buffer.byteLength(page) / 1000).toFixed(0)} kB`);
