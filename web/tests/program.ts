// The program that CHASLES names, on the scenes of this project.

import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Report } from "../src/document/report.ts";

/** Where the scenes are; tests run in web/out/tests. */
export const SCENES = fileURLToPath(new URL("../../../scenes/", import.meta.url));

const program = (): string => {
  const path = process.env["CHASLES"];
  if (path === undefined) throw new Error("CHASLES names no program");
  return path;
};

/** What `chasles check` says of these arguments, given in the folder of the scenes. */
export function report(...args: string[]): Report {
  const { stdout, stderr, status } = spawnSync(program(), ["check", ...args, "--json"], { cwd: SCENES, encoding: "utf8" });
  if (stdout === "") throw new Error(`check ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Report;
}

/** A line of a recording. */
export interface RecordedLine {
  t: number;
  contacts: { a: string; b: string; impulse: [number, number, number] }[];
  energy: { kinetic: number; potential: number; dissipated: number };
}

/** Simulates a scene, and records it in `drop.jsonl` of a folder; the lines. */
export function recorded(folder: string, scene: string): RecordedLine[] {
  writeFileSync(`${folder}/drop.toml`, scene);
  execFileSync(program(), ["simulate", "drop.toml", "-o", "drop.jsonl"], { cwd: folder, stdio: "pipe" });
  return readFileSync(`${folder}/drop.jsonl`, "utf8").trim().split("\n").slice(1).map((line) => JSON.parse(line) as RecordedLine);
}

/** Writes a scene as `scene.toml` in a folder, and tells what would follow where its keyframed bodies collide. */
export function suggested(folder: string, scene: string): { t: number; a: string; b: string; impulse: number[]; after: Record<"a" | "b", { linear: number[] }> }[] {
  writeFileSync(`${folder}/scene.toml`, scene);
  const lines = execFileSync(program(), ["simulate", "scene.toml", "--suggest", "--json"], { cwd: folder, encoding: "utf8" }).trim().split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as never);
}

/** The page of a scene in a file. */
export function html(file: string, ...args: string[]): void {
  write("check", file, args);
}

/** The page of the screen of two bodies of a scene, in a file. */
export function screenHtml(file: string, ...args: string[]): void {
  write("screen", file, args);
}

/** How far the flow lines through points are from being hit, in seconds, as `chasles screen` tells; null where nothing is ahead. */
export function probed(points: readonly (readonly number[])[], ...args: string[]): (number | null)[] {
  const probes = points.flatMap((point) => ["--probe", point.join(",")]);
  const { stdout, stderr, status } = spawnSync(program(), ["screen", ...args, ...probes, "--json"], { cwd: SCENES, encoding: "utf8" });
  if (stdout === "") throw new Error(`screen ended with ${status}: ${stderr}`);
  const found = JSON.parse(stdout) as { probes: { clearance: { time: number } | null }[] };
  return found.probes.map(({ clearance }) => clearance?.time ?? null);
}

function write(command: "check" | "screen", file: string, args: readonly string[]): void {
  try {
    execFileSync(program(), [command, ...args, "--html", file], { cwd: SCENES, stdio: "pipe" });
  } catch (error) {
    // 1 is contact.
    if ((error as { status?: number }).status !== 1) throw error;
  }
}

/** What is true of a scene. */
export const expected = (name: string): { pairs: { a: string; b: string; intervals: { joints?: Record<string, number>; values?: unknown }[] }[] } =>
  JSON.parse(readFileSync(`${SCENES}${name}.expected.json`, "utf8")) as never;

/** Lets `chasles view` run while `run` looks at its address. */
export async function viewed(args: string[], run: (address: string) => Promise<void>): Promise<void> {
  const child = spawn(program(), ["view", ...args, "--no-open"], { cwd: SCENES, stdio: ["ignore", "pipe", "pipe"] });
  try {
    await run(await addressOf(child));
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      await ended;
    }
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [said, complained] = ["", ""];
    child.stderr?.on("data", (text: Buffer) => (complained += text.toString()));
    child.stdout?.on("data", (text: Buffer) => {
      said += text.toString();
      const address = /^(http:\/\/\S+)\n/m.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", (status) => reject(new Error(`view ended with ${status}: ${complained}`)));
  });
}
