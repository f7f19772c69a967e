// Moves as they are asked for: one at a time, of places the newest, and no step lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Answer, Link } from "../src/server/connection.ts";
import { Mover } from "../src/jog/mover.ts";

/** A link whose answers come when they are told to. */
function held(): { link: Link; asked: unknown[]; answer: (result: Answer["result"]) => Promise<void> } {
  const asked: unknown[] = [];
  let resolve: ((answer: Answer) => void) | null = null;
  const link = {
    ask(request: { joints: unknown }): Promise<Answer> {
      assert.equal(resolve, null, "two moves under way");
      asked.push(request.joints);
      return new Promise((done) => (resolve = done));
    },
  } as unknown as Link;
  const answer = async (result: Answer["result"]): Promise<void> => {
    const done = resolve;
    resolve = null;
    done?.({ type: "answer", result });
    await new Promise((next) => setImmediate(next));
  };
  return { link, asked, answer };
}

test("of places that wait only the newest is asked for", async () => {
  const { link, asked, answer } = held();
  const mover = new Mover(link, () => undefined);
  for (let at = 0; at <= 9; at += 1) mover.to({ elbow: at });
  mover.to({ wrist: 1 });
  await answer("done");
  await answer("done");
  assert.deepEqual(asked, [{ elbow: { to: 0 } }, { elbow: { to: 9 }, wrist: { to: 1 } }]);
});

test("a place that waits is not forgotten for a step", async () => {
  const { link, asked, answer } = held();
  const mover = new Mover(link, () => undefined);
  mover.by("elbow", 0.1);
  mover.to({ wrist: 2 });
  mover.by("elbow", 0.2);
  for (let i = 0; i < 4; i += 1) await answer("done");
  assert.deepEqual(asked, [{ elbow: { by: 0.1 } }, { elbow: { by: 0.2 } }, { wrist: { to: 2 } }]);
});

test("steps are few that wait, and none after a refusal", async () => {
  const { link, asked, answer } = held();
  const told: string[] = [];
  const mover = new Mover(link, ({ result }) => told.push(result));
  for (let step = 0; step < 50; step += 1) mover.by("elbow", 0.1);
  await answer("done");
  await answer("refused");
  for (let i = 0; i < 9; i += 1) await answer("done");
  assert.equal(asked.length, 2);
  assert.deepEqual(told, ["done", "refused"]);
});
