import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

// In development, `magister serve` answers the API on this address.
const server = process.env.MAGISTER_SERVER ?? "http://127.0.0.1:9876";

/** Writes a compressed copy beside each text file, so that the server need not compress. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle(options) {
      const folder = options.dir!;
      for (const file of readdirSync(folder, { recursive: true }) as string[]) {
        if (!/\.(js|css|svg|html)$/.test(file)) continue;
        const path = join(folder, file);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [svelte(), compressed()],
  // The server turns the relative addresses of the start page into absolute ones.
  base: process.env.NODE_ENV === "production" ? "./" : "/",
  worker: { format: "iife" },
  // The server refuses requests that come from pages of another origin, so the proxy names its own.
  server: { proxy: Object.fromEntries(["/api/", "/metrics"].map((path) => [path, { target: server, changeOrigin: true, headers: { origin: server } }])) },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
