// How one token was made: merges step by step, or the rows that a Unigram model could have taken.
import { ask, chip, element, replaceWith } from "./parts.js";

const PAUSE = 700; // milliseconds between two merges

export class Detail {
  constructor(editor) {
    this.editor = editor;
    this.box = document.getElementById("detail");
    this.body = document.getElementById("detail-body");
    document.getElementById("close").addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  async open(row, token, from) {
    this.from = from;
    const part = this.editor.part();
    const before = [...this.editor.doc.slice(0, this.editor.from)].length;
    const question = { model: row.name, text: part, place: Math.max(0, token[2] - before), specials: this.editor.specials() };
    const found = await ask("merges", question);
    document.getElementById("detail-title").textContent = `${found.piece} (${row.name})`;
    const views = { merges: () => this.merges(found), rivals: () => this.rivals(found), long: () => this.tooLong(found) };
    replaceWith(this.body, (views[found.kind] ?? (() => this.plain(found)))());
    this.box.hidden = false;
    document.getElementById("close").focus();
  }

  close() {
    clearInterval(this.playing);
    if (this.box.hidden) return;
    this.box.hidden = true;
    if (this.from?.isConnected) this.from.focus();
  }

  merges(found) {
    let at = 0;
    const state = element("p", { class: "state" });
    const steps = found.steps.map((step) =>
      element("li", {}, `rank ${step.rank.toLocaleString("en")}: ${step.left} + ${step.right} → ${step.made}`));
    const show = (place) => {
      at = Math.max(0, Math.min(place, found.steps.length));
      replaceWith(state, found.states[at].map((symbol, index) => chip(index, symbol)));
      steps.forEach((step, index) => step.classList.toggle("now", index === at - 1));
      count.textContent = `merge ${at} of ${found.steps.length}`;
    };
    const stop = () => clearInterval(this.playing);
    const play = () => {
      stop();
      show(at === found.steps.length ? 0 : at);
      this.playing = setInterval(() => (at === found.steps.length ? stop() : show(at + 1)), PAUSE);
    };
    const button = (text, work) => element("button", { onclick: work }, text);
    const count = element("span", { class: "count" });
    const bar = element("div", { class: "bar" },
      button("Back", () => (stop(), show(at - 1))), count, button("Forward", () => (stop(), show(at + 1))), button("Play", play));
    show(0);
    return [state, bar, element("ol", { class: "steps" }, ...steps)];
  }

  rivals(found) {
    return found.rows.map((row) =>
      element("p", { class: "rival" }, ...row.tokens.map(([, text], index) => chip(index, text)),
        ` ${(100 * row.probability).toFixed(2)}%  score ${row.score.toFixed(3)}`));
  }

  tooLong(found) {
    return [element("p", {}, `A piece of ${found.symbols.toLocaleString("en")} symbols is too long to be shown step by step.`)];
  }

  plain(found) {
    const why = found.kind === "added" ? "An added token: it is found before the model sees the text." : "Nothing is merged here.";
    return [element("p", {}, why), element("p", {}, ...(found.tokens ?? []).map(([, text], index) => chip(index, text)))];
  }
}
