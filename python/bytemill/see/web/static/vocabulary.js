// The vocabulary, a page at a time.
import { ask, chosenModel, element, latest, replaceWith } from "./parts.js";

export class VocabularyView {
  constructor() {
    this.first = 0;
    this.page = 100;
    this.refresh = latest((isLast) => this.load(isLast));
    for (const id of ["query", "mode"]) {
      document.getElementById(id).addEventListener("input", () => ((this.first = 0), this.refresh()));
    }
    document.getElementById("previous").addEventListener("click", () => this.turn(-1));
    document.getElementById("next").addEventListener("click", () => this.turn(1));
  }

  turn(pages) {
    this.first = Math.max(0, this.first + pages * this.page);
    this.refresh();
  }

  async load(isLast) {
    const [query, mode] = ["query", "mode"].map((id) => document.getElementById(id).value);
    const found = await ask("vocabulary", { model: chosenModel("vocabulary"), query, mode, first: this.first });
    if (!isLast()) return;
    this.page = found.page;
    const number = (value) => value.toLocaleString("en");
    const last = Math.min(found.first + found.page, found.total);
    document.getElementById("found").textContent =
      found.total ? `${number(found.first + 1)} to ${number(last)} of ${number(found.total)}` : "nothing found";
    document.getElementById("previous").disabled = found.first === 0;
    document.getElementById("next").disabled = last >= found.total;
    const head = element("tr", {}, ...["id", "token", "bytes"].map((name) => element("th", { scope: "col" }, name)));
    const rows = found.rows.map(([id, text, bytes, special]) =>
      element("tr", {}, element("td", {}, String(id)),
        element("td", {}, element("span", { class: `chip t1 ${special ? "special" : ""}` }, text)), element("td", {}, bytes)));
    const table = element("table", { class: "figures" }, element("thead", {}, head), element("tbody", {}, ...rows));
    replaceWith(document.getElementById("vocabulary-shown"), [table]);
  }
}
