// Moves as they are asked for: one at a time, of places the newest, and no step lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Answer, Connection } from "../src/server/connection.ts";
import { MoveQueue } from "../src/jog/moves.ts";

/** A connection that answers on demand. */
function held(): { connection: Connection; asked: unknown[]; answer: (result: Answer["result"]) => Promise<void> } {
  const asked: unknown[] = [];
  let resolve: ((answer: Answer) => void) | null = null;
  const connection = {
    request(request: { joints: unknown }): Promise<Answer> {
      assert.equal(resolve, null, "two moves under way");
      asked.push(request.joints);
      return new Promise((done) => (resolve = done));
    },
  } as unknown as Connection;
  const answer = async (result: Answer["result"]): Promise<void> => {
    const done = resolve;
    resolve = null;
    done?.({ type: "answer", result });
    await new Promise((next) => setImmediate(next));
  };
  return { connection, asked, answer };
}

test("only the newest of waiting positions is requested", async () => {
  const { connection, asked, answer } = held();
  const mover = new MoveQueue(connection, () => undefined);
  for (let at = 0; at <= 9; at += 1) mover.moveTo({ elbow: at });
  mover.moveTo({ wrist: 1 });
  await answer("done");
  await answer("done");
  assert.deepEqual(asked, [{ elbow: { to: 0 } }, { elbow: { to: 9 }, wrist: { to: 1 } }]);
});

test("a waiting position is sent before a step", async () => {
  const { connection, asked, answer } = held();
  const mover = new MoveQueue(connection, () => undefined);
  mover.moveBy("elbow", 0.1);
  mover.moveTo({ wrist: 2 });
  mover.moveBy("elbow", 0.2);
  for (let i = 0; i < 4; i += 1) await answer("done");
  assert.deepEqual(asked, [{ elbow: { by: 0.1 } }, { elbow: { by: 0.2 } }, { wrist: { to: 2 } }]);
});

test("few steps wait, and none after a refusal", async () => {
  const { connection, asked, answer } = held();
  const told: string[] = [];
  const mover = new MoveQueue(connection, ({ result }) => told.push(result));
  for (let step = 0; step < 50; step += 1) mover.moveBy("elbow", 0.1);
  await answer("done");
  await answer("refused");
  for (let i = 0; i < 9; i += 1) await answer("done");
  assert.equal(asked.length, 2);
  assert.deepEqual(told, ["done", "refused"]);
});
