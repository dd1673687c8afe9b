import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// In development, `npm run mock` or a real `magister serve` answers the API on this address.
const server = process.env.MAGISTER_SERVER ?? "http://127.0.0.1:8047";

export default defineConfig({
  plugins: [svelte()],
  base: "/",
  worker: { format: "iife" },
  server: { proxy: { "/api/": server, "/metrics": server } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
});
