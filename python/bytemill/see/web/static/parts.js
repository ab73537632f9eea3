// What every view uses. Text only ever becomes text: nothing here makes markup of it.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key === "dataset") Object.assign(made.dataset, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export function replaceWith(parent, children) {
  parent.replaceChildren(...children);
}

export async function ask(name, question) {
  const message = document.getElementById("message");
  const answer = await fetch(`api/${name}`, { method: "POST", body: JSON.stringify(question) });
  const found = await answer.json();
  message.textContent = answer.ok ? "" : found.error;
  if (!answer.ok) throw new Refused(found.error);
  return found;
}

export class Refused extends Error {}

// Only the last question of a view matters: answers to earlier ones are dropped.
export function latest(work) {
  let number = 0;
  return async (...given) => {
    const mine = ++number;
    try {
      await work(() => mine === number, ...given);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  };
}

export function say(text) {
  document.getElementById("status").textContent = text;
}

export function chip(index, text, classes = "") {
  return element("span", { class: `chip t${index % 5} ${classes}` }, text);
}

export function chosenModel(view) {
  return document.querySelector(`#${view} select.model`).value;
}
