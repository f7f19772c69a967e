// The page is one HTML file: script and style are put into it, so that nothing is fetched beside it and a content security
// policy can name both by their hashes.

import { defineConfig, type Plugin } from "vite";

/** Puts the one script and the one style sheet into the page; fails where anything else would have to be fetched. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("the page index.html is not in the bundle");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === "chunk") {
          const code = file.code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--").trim();
          html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), "");
          html = html.replace("</body>", () => `<script>${code}</script>\n</body>`);
        } else if (name.endsWith(".css")) {
          const style = String(file.source).trim();
          html = html.replace(new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`), () => `<style>${style}</style>`);
        } else {
          throw new Error(`${name} would have to be fetched beside the page`);
        }
        delete bundle[name];
      }
      if (/<(script|link|img)[^>]*\s(src|href)="(?!data:)/.test(html.replace(/<script>[^]*<\/script>/, ""))) {
        throw new Error("the page would fetch something");
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
});
