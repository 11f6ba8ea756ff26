// Puts every picture of a page in its place; where a module fails to load, its static figure stays.

import { mount } from "./kit.js";

for (const figure of document.querySelectorAll("figure[data-picture]")) {
  import(`./${figure.dataset.picture}.js`).then((picture) => (picture.mount ?? mount)(figure, picture)).catch(console.error);
}
