// The stages of a text, and the syntax of source code.
import { ask, chip, chosenModel, element, latest, replaceWith } from "./parts.js";

export class StagesView {
  constructor(editor) {
    this.editor = editor;
    this.refresh = latest((isLast) => this.load(isLast));
  }

  async load(isLast) {
    const question = { model: chosenModel("stages"), text: this.editor.part(), specials: this.editor.specials() };
    const found = await ask("stages", question);
    if (!isLast()) return;
    const aligned = found.normalized.map(([character, place, original], index) => {
      const made = chip(index, character);
      made.title = `from character ${place}: ${original}`;
      return made;
    });
    const pieces = found.pieces.map(([text, start, end], index) => {
      const made = chip(index, text);
      made.title = `characters ${start} to ${end}`;
      return made;
    });
    const ids = found.pieces.map(([, , , row], index) => chip(index, row.join(" ") || "–"));
    const rows = [
      [found.changed ? "Normalized" : "Normalized: as it was", aligned], ["Pieces", pieces], ["Ids of each piece", ids],
    ];
    const parts = rows.flatMap(([title, chips]) => [element("h2", {}, title), element("p", { class: "tokens" }, ...chips)]);
    if (found.left_out) parts.push(element("p", { class: "soft" }, `${found.left_out.toLocaleString("en")} more are left out`));
    replaceWith(document.getElementById("stages-shown"), parts);
  }
}

export class SyntaxView {
  constructor(editor) {
    this.editor = editor;
    this.refresh = latest((isLast) => this.load(isLast));
    document.getElementById("language").addEventListener("change", () => this.refresh());
  }

  async load(isLast) {
    const language = document.getElementById("language").value.trim() || null;
    const question = { model: chosenModel("syntax"), text: this.editor.part(), specials: this.editor.specials(), language };
    const found = await ask("syntax", question);
    if (!isLast()) return;
    const box = element("div", { class: "tokens", dir: "ltr" });
    found.tokens.forEach(([, text, kind, node, line], index) => {
      const made = chip(index, text, `k-${kind}`);
      made.title = `${kind}, ${node}, line ${line}`;
      made.append(element("span", { class: "kind" }, kind));
      box.append(made);
      if (text.includes("⏎")) box.append(element("br"));
    });
    const title = element("p", { class: "soft" }, found.language ? `Read as ${found.language}` : "The language was not recognized");
    replaceWith(document.getElementById("syntax-shown"), [title, box]);
  }
}
