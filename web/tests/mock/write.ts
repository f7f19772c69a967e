// Writes a page with a document in it: `write.mjs NAME FILE`. For a look by hand.
import { readFileSync, writeFileSync } from "node:fs";
import * as documents from "./documents.ts";

const [name = "plate", file = "out.html"] = process.argv.slice(2);
const make = (documents as unknown as Record<string, () => object>)[name];
if (make === undefined) throw new Error(`no document ${name}`);
const text = JSON.stringify(make()).replaceAll("<", "\\u003c");
const page = readFileSync(new URL("../dist/index.html", import.meta.url), "utf8");
writeFileSync(file, page.replace("</head>", () => `<script id="chasles-playback" type="application/json">${text}</script></head>`));
