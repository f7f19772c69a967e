// The picture follows what is chosen: poses, colours, marks, ghosts, screws, section, and what a click meets.

import { Group, Plane, Vector3 } from "three";

import type { App } from "./app.ts";
import { Bodies, type Role } from "./picture/bodies.ts";
import { Bounds } from "./picture/bounds.ts";
import { contactFacts } from "./contact.ts";
import { ballOf, bodyBox, boxOf, corners, cornersOf, type Box } from "./document/extent.ts";
import { vertexPlace } from "./document/features.ts";
import { EventMarks } from "./picture/events.ts";
import { floorGrid } from "./picture/floor.ts";
import { arrowLength, ImpulseMarks } from "./picture/impulses.ts";
import { empty } from "./picture/lines.ts";
import { HandMark } from "./picture/hand.ts";
import type { Followed } from "./live.ts";
import { Marks } from "./picture/marks.ts";
import { Measure, pick, type Hit } from "./picture/pick.ts";
import { intervalOf, placeOf, timeOf } from "./document/report.ts";
import type { Stage } from "./picture/stage.ts";
import { palette, type Palette } from "./elements/theme.ts";
import { SuggestedMarks } from "./picture/suggested.ts";
import { Triad } from "./picture/triad.ts";
import { Traces } from "./picture/traces.ts";
import { DIRECTIONS, vantage } from "./picture/vantage.ts";
import { add, distance, scale, sub, toWorld, type Pose, type Vec3 } from "./motion/vector.ts";

/** A blow stays in sight for so many seconds of the person who looks, at any speed. */
const SEEN = 0.2;

/** Of the larger body of a contact so many radii of the smaller one are shown, to each side. */
const BESIDE = 2.6;

/** Bodies that are faint hide what is behind them so far. */
const FADED = 0.7;

/** Ghosts of at most this many bodies. */
const MOST_GHOSTS = 12;

export class View {
  readonly bodies: Bodies;
  private readonly planes: Plane[] = [];
  private readonly marks: Marks;
  private readonly traces: Traces;
  private readonly bounds: Bounds;
  private readonly measure: Measure;
  private readonly events: EventMarks;
  private readonly impulses: ImpulseMarks | null;
  private readonly suggested: SuggestedMarks | null;
  private readonly hand: HandMark;
  private readonly triad: Triad;
  private readonly floor = new Group();
  private readonly local: Vec3[][];
  /** The bodies that were painted as in contact. */
  private touching = "";
  /** Whether ghosts wait for their shapes. */
  private ghostsComing = false;
  /** The shapes that bodies that deform were given: between which frames. */
  private readonly shaped = new Map<number, string>();
  /** The shapes that a server told last. */
  private readonly told = new Map<number, Float32Array>();

  constructor(private readonly app: App, readonly stage: Stage, private readonly whole: Box, private readonly live: Followed | null) {
    const { playback, state } = app;
    this.bodies = new Bodies(playback, stage, this.planes);
    this.marks = new Marks(stage, this.bodies);
    this.traces = new Traces(playback, stage, this.bodies);
    this.bounds = new Bounds(playback, stage, this.bodies);
    this.measure = new Measure(stage, this.bodies);
    this.events = new EventMarks(app, stage);
    this.impulses = playback.recording === null && playback.simulation === null ? null : new ImpulseMarks(stage);
    this.hand = new HandMark(stage);
    this.triad = new Triad(stage);
    this.local = playback.bodies.map((body) => corners(playback, body));
    const radius = (body: number): number => ballOf(boxOf(this.local[body] ?? [])).radius;
    this.suggested = playback.suggested === null ? null : new SuggestedMarks(stage, radius);
    stage.scene.add(this.floor);
    live?.watch(() => {
      this.place();
      this.mark();
      this.paint();
      this.push();
    });
    state.watch(["look"], () => {
      stage.paint(this.colours);
      this.triad.paint(this.colours);
    });
    state.watch(["time", "live"], () => this.place());
    app.frames.watch(() => {
      this.place();
      this.mark();
      if (this.ghostsComing) this.ghosts();
    });
    state.watch(["time"], () => {
      // Features of a body that deforms go where it goes.
      const pair = app.chosen === null ? [] : (app.playback.pairs[app.chosen.pair] ?? []);
      if (pair.some((body) => app.frames.has(body))) this.mark();
    });
    state.watch(["time", "events", "live", "look"], () => {
      const { time, events, live } = state.now;
      this.events.show(events && !live ? time - playback.begin : null, this.colours);
    });
    state.watch(["time", "speed", "impulses", "live", "look", "happening"], () => this.push());
    state.watch(["happening", "body", "hidden", "look", "fade", "ownColours", "live"], () => this.paint());
    state.watch(["time"], () => {
      // Only where a contact began or ended.
      const now = [...app.inContact()].join();
      if (now !== this.touching) this.paint();
    });
    state.watch(["happening", "look", "live", "impulses"], () => this.mark());
    state.watch(["wireframe", "edges", "section"], () => this.bodies.style(state.now));
    state.watch(["section", "sectionAxis", "sectionShare", "sectionFlipped"], () => this.cut());
    state.watch(["ghosts", "happening", "body", "look", "live"], () => this.ghosts());
    state.watch(["boxes", "look"], () => this.bounds.showBoxes(state.now.boxes, this.colours));
    state.watch(["traced", "look"], () => this.traces.showPath(state.now.traced, this.colours));
    state.watch(["up"], () => stage.stand(state.now.up));
    state.watch(["floor", "look", "up"], () => {
      empty(this.floor);
      if (state.now.floor) this.floor.add(floorGrid(stage, this.whole, state.now.up, this.colours));
      stage.invalidate();
    });
    state.watch(["happening"], () => this.follow());
  }

  get colours(): Palette {
    return palette(this.app.state.now.look);
  }

  /** Where the bodies are now. */
  poses(): Pose[] {
    const { playback, state } = this.app;
    const live = state.now.live ? this.live?.poses() : null;
    return playback.bodies.map((body, number) => live?.[number] ?? body.track.pose(state.now.time));
  }

  /** Where the axes x, y and z point in the picture: to the right, upward, and out of it. */
  axes(): number[][] {
    return this.triad.axes.map((axis) => axis.toArray());
  }

  /** How many impulses are drawn. */
  get arrows(): number {
    return this.impulses?.count ?? 0;
  }

  /** How many arrows of suggestions are drawn: of impulses, and of velocities after them. */
  get suggestions(): readonly [number, number] {
    return this.suggested?.counts ?? [0, 0];
  }

  /** Where a vertex of a body that deforms is drawn, in the world; null of any other. */
  vertex(body: number, vertex: number): Vec3 | null {
    const [skin, pose] = [this.bodies.drawn[body]?.skin, this.bodies.pose(body)];
    const mesh = this.app.playback.meshes[this.app.playback.bodies[body]?.elements[0]?.mesh ?? -1];
    if (!skin || pose === undefined || mesh === undefined) return null;
    return toWorld(pose, vertexPlace({ positions: skin.places, origin: mesh.origin }, vertex));
  }

  /** Everything that is shown, in the middle of the picture; from a direction that is told as if z were up. */
  fit(from: Vec3 | null, flight: "fly" | "at once" = "fly"): void {
    const { hidden } = this.app.state.now;
    const poses = this.poses();
    const boxes = poses.flatMap((pose, body) => (hidden.has(body) ? [] : bodyBox(this.bodies.corners(body) ?? this.local[body] ?? [], pose) ?? []));
    const box = boxOf(boxes.flatMap(({ low, high }) => [low, high]));
    if (box !== null) this.stage.frame(from === null ? null : this.stage.facing(from), cornersOf(box), flight);
  }

  /** What a click at a place of the page meets. */
  pick(at: { x: number; y: number }): Hit | null {
    return pick(this.stage, this.bodies, this.app.playback, at, this.planes);
  }

  /** The measured points in the world now. */
  measured(): Vec3[] {
    return this.measure.places(this.app.state.now.measured);
  }

  /** The time of the picture changed: whatever depends on poses is drawn anew. */
  private place(): void {
    const { state } = this.app;
    const poses = this.poses();
    this.bodies.place(poses);
    this.reshape();
    this.measure.show(state.now.measured, this.colours);
    this.bounds.showCells(state.now.cells ? poses : null, this.colours);
    this.screw();
  }

  /** Gives bodies that deform their shapes; where those are not there yet, they keep the last. */
  private reshape(): void {
    const { frames, state } = this.app;
    for (const body of frames.deforming) {
      const places = frames.shape(body, state.now.time);
      const between = JSON.stringify(frames.between(body, state.now.time));
      if (places === null || this.shaped.get(body) === between) continue;
      this.shaped.set(body, between);
      this.bodies.reshape(body, places);
    }
    for (const [body, places] of (state.now.live ? this.live?.shapes() : null) ?? []) {
      if (this.told.get(body) === places) continue;
      this.told.set(body, places);
      this.bodies.reshape(body, places);
    }
  }

  /** Called where measured points, cells or screws are switched. */
  refresh(): void {
    this.place();
  }

  private paint(): void {
    const { app } = this;
    const { happening, hidden, fade, body, live } = app.state.now;
    const refused = live ? this.live?.refused() : null;
    const pair = live ? null : app.chosen === null ? null : app.playback.pairs[app.chosen.pair];
    const touching = live ? new Set<number>() : app.inContact();
    this.touching = [...touching].join();
    const roles = app.playback.bodies.map((_, number): Role => {
      if (refused) return refused.obstacles.has(number) ? "blocked" : refused.moving.has(number) ? "a" : "plain";
      if (pair && number === pair[0]) return "a";
      if (pair && number === pair[1]) return "b";
      if (touching.has(number)) return "touching";
      if (pair) return fade ? "faded" : "plain";
      return happening === null && number === body ? "a" : "plain";
    });
    this.bodies.paint(this.colours, roles, (number) => !hidden.has(number), app.state.now.ownColours ? "as in the file" : "by motion");
  }

  /** Impulses, and the hand that pulls. */
  private push(): void {
    const { state: { now: { time, speed, impulses, live } }, playback: { recording } } = this.app;
    const followed = live ? this.live?.impulses() : null;
    const list = live ? followed?.seen : recording?.seen(time, SEEN * speed);
    const strongest = live ? followed?.strongest : recording?.strongest;
    const drawn = (impulses ? (list ?? []) : []).map((each) => ({ ...each, long: arrowLength(each.amount, strongest ?? 0, this.stage.radius) }));
    this.impulses?.show(drawn, this.colours);
    this.hand.show(live ? (this.live?.hand() ?? null) : null, this.colours);
    const { chosen, playback: { suggested } } = this.app;
    const own = this.app.suggestionOf(chosen);
    const follows = chosen !== null ? (own === null ? [] : [own]) : (suggested?.seen(time, SEEN * speed) ?? []);
    this.suggested?.show(impulses && !live ? follows : [], this.colours);
  }

  private mark(): void {
    const { app } = this;
    if (app.state.now.live) {
      const place = this.live?.refused()?.place;
      this.marks.show(place ?? null, this.colours);
      return;
    }
    const { chosen, report } = app;
    const contact = chosen === null || report === null ? null : placeOf(report, chosen);
    if (chosen === null || contact === null) this.marks.show(null, this.colours);
    else {
      const facts = contactFacts(app, chosen);
      // The velocities of both are there where what would follow is drawn.
      const velocity = app.state.now.impulses && app.suggestionOf(chosen) !== null ? null : facts.velocity;
      this.marks.show({ point: contact.point, normal: contact.normal, ...facts, velocity }, this.colours);
    }
  }

  private screw(): void {
    const { body, screw, time, live } = this.app.state.now;
    const data = body === null ? undefined : this.app.playback.bodies[body];
    const segment = screw && !live ? (data?.track.segment(time) ?? null) : null;
    // The helix is that of the middle of the body's box.
    const box = body === null ? null : boxOf(this.local[body] ?? []);
    const middle = ballOf(box).centre;
    this.traces.showScrew(segment, segment === null ? middle : toWorld(segment.screw.start, middle), this.colours);
  }

  private ghosts(): void {
    const { app, colours } = this;
    const { ghosts, body, live } = app.state.now;
    const { begin, end, bodies } = app.playback;
    const { chosen, report } = app;
    const pair = chosen === null ? [] : (app.playback.pairs[chosen.pair] ?? []);
    const wanted = pair.length > 0 ? [...pair] : body !== null ? [body] : bodies.map((_, number) => number);
    const moving = wanted.filter((number) => bodies[number]?.moves).slice(0, MOST_GHOSTS);
    const isMeeting = chosen !== null && report !== null && (intervalOf(report, chosen) !== null || placeOf(report, chosen) !== null);
    const enter = isMeeting ? timeOf(report, chosen) : undefined;
    const list = moving.flatMap((number) => [
      { body: number, time: begin, colour: colours.moves },
      ...(enter === undefined ? [] : [{ body: number, time: enter, colour: colours.contact }]),
      { body: number, time: end, colour: colours.moves },
    ]);
    const shown = ghosts && !live ? list : [];
    const deforming = shown.filter((ghost) => app.frames.has(ghost.body));
    app.frames.needAlso(deforming);
    this.ghostsComing = deforming.some((ghost) => app.frames.standing(ghost.body, ghost.time) !== "shown");
    this.traces.showGhosts(shown, colours, (number, time) => app.frames.shape(number, time));
  }

  private cut(): void {
    const { section, sectionAxis, sectionShare, sectionFlipped } = this.app.state.now;
    this.planes.length = 0;
    if (section) {
      const sign = sectionFlipped ? 1 : -1;
      const normal = new Vector3(sectionAxis === "x" ? sign : 0, sectionAxis === "y" ? sign : 0, sectionAxis === "z" ? sign : 0);
      const at = (2 * sectionShare - 1) * ballOf(this.whole).radius;
      this.planes.push(new Plane(normal, -sign * at));
    }
    this.bodies.caps.cut();
    this.stage.invalidate();
  }

  /** Goes to the contact that was chosen, as near as its smaller body asks. */
  private follow(): void {
    const { app } = this;
    const { chosen, report } = app;
    if (chosen === null || report === null || !app.state.now.follow) return;
    const contact = placeOf(report, chosen);
    const pair = app.playback.pairs[chosen.pair] ?? [];
    const poses = this.poses();
    if (contact !== null) {
      this.lookAt(contact, pair, poses);
      return;
    }
    // Without a place the two bodies are shown whole.
    const both = boxOf(pair.flatMap((body) => (this.local[body] ?? []).map((corner) => toWorld(poses[body] as Pose, corner))));
    if (both !== null) this.stage.frame(null, cornersOf(both), "fly");
  }

  /** Looks at a contact from where it is seen, from as far as it takes to understand both bodies. */
  private lookAt({ point, normal }: { point: Vec3; normal: Vec3 }, pair: readonly number[], poses: readonly Pose[]): void {
    const { stage, bodies, app } = this;
    const { hidden, fade } = app.state.now;
    const around = (body: number): Vec3[] => bodies.corners(body) ?? this.local[body] ?? [];
    const boxes = pair.map((body) => bodyBox(around(body), poses[body] as Pose));
    const small = Math.min(...boxes.map((box) => ballOf(box).radius));
    // Of a body that is much larger only what is around.
    const near = boxes.flatMap((box) => (box === null ? [] : cornersOf(box))).map((corner): Vec3 => {
      const away = distance(corner, point);
      return away <= BESIDE * small ? corner : add(point, scale(sub(corner, point), (BESIDE * small) / away));
    });
    const shown = app.playback.bodies.map((_, body) => body).filter((body) => !hidden.has(body));
    const screens = bodies.screens(shown, (body) => (pair.includes(body) || !fade ? 0 : FADED));
    const now = stage.towards;
    const sight = { point, normal, size: 0.04 * small, reach: 4 * BESIDE * small };
    const from = vantage(sight, screens, [now, ...DIRECTIONS.map((each) => stage.facing(each))], { now, up: stage.upward });
    stage.frame(from, [...near, point], "fly", point);
  }
}
