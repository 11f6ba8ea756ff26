// Chapter 4: RoPE turns each pair of numbers like the hand of a clock, in the query and in the key.

import { score } from "./attention.js";
import { digits } from "./kit.js";

const FAR = 24;

export const controls = [
  { name: "along", label: "Push both along", min: 0, max: FAR, step: 1, words: ({ along }, outputs) => `Pushed along by ${along}, score ${digits(outputs.score)}` },
  { name: "apart", label: "How far ahead the query is", min: -6, max: FAR, step: 1, words: ({ apart }, outputs) => `${apart} positions ahead, score ${digits(outputs.score)}` },
];

export const start = ({ query_at, key_at }) => ({ along: 0, apart: query_at - key_at });

/** A hand of length 1 on each clock, all as one vector, turned from 3 o'clock by its rate at every position. */
const hands = (position, rates) => rates.flatMap((rate) => [Math.cos(position * rate), Math.sin(position * rate)]);

export function compute({ along, apart }, { key_at, rates }) {
  const keyAt = key_at + along;
  const [query, key] = [hands(keyAt + apart, rates), hands(keyAt, rates)];
  return { query_at: keyAt + apart, key_at: keyAt, query, key, score: score([query], [key])[0][0] };
}

export const goal = {
  words: "Change the score by pushing both along. Can you?",
  isReached: (state, outputs, inputs) => Math.abs(outputs.score - compute({ ...state, along: 0 }, inputs).score) > 0.005,
};

export const legend = [["line", "query", "Hand of the query"], ["line", "key", "Hand of the key"], ["line", "weights", "Angle between the hands"]];

export function say({ along, apart }, outputs, { rates }) {
  const value = digits(outputs.score);
  const degrees = digits(((apart * rates[0] * 180) / Math.PI) % 360, 0);
  if (apart === 0) return `Both are at position ${outputs.key_at}, so their hands lie on each other and the score is at its largest, ${value}.`;
  if (along > 0) return `Pushed along by ${along}, every hand has turned, but the angle between two hands has not, and the score is still ${value}.`;
  if (apart < 0) return `The query is behind by ${digits(-apart, 0)}, and the score is ${value}. Equal hands give the same score on either side.`;
  return `The query is ahead by ${apart}, so its hand is turned ${degrees}° further on the fast clock. The score is ${value}.`;
}

export function draw({ outputs, inputs, width, make, words }) {
  const { query_at, key_at, query, key } = outputs;
  const count = inputs.rates.length;
  const side = Math.min(260, width / count);
  const radius = side * 0.3;
  const round = (place) => place.map((x) => Math.round(10 * x) / 10);
  const names = ["fast clock", "slow clock"];
  const parts = inputs.rates.flatMap((rate, r) => {
    const middle = [side * (r + 0.5), 30 + side * 0.45];
    const tip = (hand, long) => round([middle[0] + long * radius * hand[2 * r], middle[1] - long * radius * hand[2 * r + 1]]);
    const [cx, cy] = round(middle);
    const hand = (of, kind) => { const [x2, y2] = tip(of, 1); return make("line", { x1: cx, y1: cy, x2, y2, class: kind }); };
    const angle = ((((query_at - key_at) * rate) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    const [from, to] = [tip(key, 0.4), tip(query, 0.4)];
    const sweep = angle > Math.PI ? 1 : 0; // the shorter way round
    const near = Math.min(angle, 2 * Math.PI - angle) < 0.5 ? 9 : 0;
    const above = query[2 * r + 1] >= key[2 * r + 1] ? 1 : -1;
    const name = (of, text, kind, dy) => {
      const [x, y] = tip(of, 1.12);
      const anchor = of[2 * r] > 0.35 ? "start" : of[2 * r] < -0.35 ? "end" : "middle";
      return make("text", { x, y: Math.round(10 * (y + 5 + dy - 7 * of[2 * r + 1])) / 10, class: kind, "text-anchor": anchor }, text);
    };
    return [
      make("text", { x: Math.round(side * r), y: 14, class: "heading" }, words(names[Math.min(r, 1)])),
      make("circle", { cx, cy, r: Math.round(10 * radius) / 10, class: "face" }),
      make("path", { d: `M ${from} A ${Math.round(4 * radius) / 10} ${Math.round(4 * radius) / 10} 0 0 ${sweep === 1 ? 1 : 0} ${to}`, class: "attends" }),
      hand(query, "query"),
      hand(key, "key"),
      name(query, `q ${query_at}`.replace("-", "−"), "query", -near * above),
      name(key, `k ${key_at}`.replace("-", "−"), "key", near * above),
    ];
  });
  return { height: Math.round(30 + side * 0.9), parts };
}
