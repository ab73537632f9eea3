// The film: states are worked out from the symbols and merges of each piece, so that both orders come from one record.
const film = JSON.parse(document.getElementById("film").textContent);
const PAUSE = 600;

// How many merges of each piece are done after every step. In the order of training, a rank is one step for all pieces.
function frames(order) {
  const done = film.map(() => 0);
  const made = [{ done: [...done], text: "as it begins" }];
  const steps = film.flatMap((piece, p) => {
    let reached = 0; // a piece keeps its own order, also where a vocabulary has ranks that do not grow
    return piece.merges.map((merge) => ({ p, merge, rank: (reached = Math.max(reached, merge[0])) }));
  });
  if (order === "training") steps.sort((a, b) => a.rank - b.rank);
  steps.forEach((step, index) => {
    done[step.p] += 1;
    if (order === "training" && steps[index + 1]?.rank === step.rank) return;
    const [rank, left, right, result] = step.merge;
    made.push({ done: [...done], text: `rank ${rank}: ${left} + ${right} → ${result}` });
  });
  return made;
}

function symbols(piece, count) {
  const now = new Map(piece.symbols.map((symbol, place) => [place, symbol]));
  for (const [, , , result, place] of piece.merges.slice(0, count)) {
    now.set(place, result);
    now.delete(Math.min(...[...now.keys()].filter((other) => other > place)));
  }
  return [...now.values()];
}

const order = document.getElementById("order"), shown = document.getElementById("shown"), count = document.getElementById("count");
let list = frames(order.value), at = 0, playing = null;

function show(place) {
  at = Math.max(0, Math.min(place, list.length - 1));
  let colour = 0;
  shown.replaceChildren(...film.flatMap((piece, p) => {
    const parts = piece.symbols.length ? symbols(piece, list[at].done[p]) : piece.tokens;
    const row = document.createElement("span");
    row.className = "piece";
    for (const part of parts) {
      const chip = document.createElement("span");
      chip.className = `chip t${colour++ % 5}`;
      chip.textContent = part;
      row.append(chip);
    }
    return [row];
  }));
  count.textContent = `step ${at} of ${list.length - 1}: ${list[at].text}`;
  document.getElementById("slide").max = list.length - 1;
  document.getElementById("slide").value = at;
}

function stop() {
  clearInterval(playing);
  playing = null;
  document.getElementById("play").textContent = "Play";
}

function play() {
  if (playing) return stop();
  if (at === list.length - 1) show(0);
  document.getElementById("play").textContent = "Stop";
  playing = setInterval(() => (at === list.length - 1 ? stop() : show(at + 1)), PAUSE);
}

document.getElementById("back").addEventListener("click", () => (stop(), show(at - 1)));
document.getElementById("forward").addEventListener("click", () => (stop(), show(at + 1)));
document.getElementById("play").addEventListener("click", play);
document.getElementById("slide").addEventListener("input", (event) => (stop(), show(Number(event.target.value))));
order.addEventListener("change", () => (stop(), (list = frames(order.value)), show(0)));
show(0);
