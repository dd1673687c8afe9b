import "@fontsource-variable/alegreya/wght.css";
import "@fontsource-variable/atkinson-hyperlegible-next/wght.css";
import "@fontsource-variable/atkinson-hyperlegible-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/board.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { router } from "./lib/router.svelte";
import { session } from "./lib/session.svelte";

void session.load();
router.begin();
mount(App, { target: document.getElementById("app")! });
