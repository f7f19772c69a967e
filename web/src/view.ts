// Keeps the picture up to date with the state: poses, colours, marks, ghosts, screws and section; and picking.

import { Group, Plane, Vector3 } from "three";

import type { App } from "./app.ts";
import { Bodies, type Role } from "./picture/bodies.ts";
import { Bounds } from "./picture/bounds.ts";
import { contactFacts } from "./contact.ts";
import { boundingSphere, worldBox, boundingBox, bodyCorners, boxCorners, type Box } from "./document/extent.ts";
import { vertexPosition } from "./document/features.ts";
import { EventMarks } from "./picture/events.ts";
import { floorGrid } from "./picture/floor.ts";
import { arrowLength, ImpulseMarks } from "./picture/impulses.ts";
import { clearGroup } from "./picture/lines.ts";
import { SpringMark } from "./picture/spring.ts";
import type { LiveSource } from "./live.ts";
import { ContactMarks } from "./picture/marks.ts";
import { MeasureMarks, pick, type SurfaceHit } from "./picture/pick.ts";
import { intervalOf, contactOf, startTime } from "./document/report.ts";
import type { Stage } from "./picture/stage.ts";
import { palette, type Palette } from "./elements/theme.ts";
import { SuggestedMarks } from "./picture/suggestions.ts";
import { Triad } from "./picture/triad.ts";
import { Traces } from "./picture/traces.ts";
import { DIRECTIONS, bestViewDirection } from "./picture/viewpoint.ts";
import { add, distance, scale, sub, toWorld, type Pose, type Vec3 } from "./motion/vector.ts";

/** Seconds of wall time for which an impulse stays visible, at any speed. */
const VISIBLE_SECONDS = 0.2;

/** The larger body of a contact is shown up to this many radii of the smaller one. */
const CONTEXT_RADII = 2.6;

/** Occlusion by a faded body, as the fraction of light that passes. */
const FADED_TRANSMITTANCE = 0.7;

/** Maximum number of bodies with ghosts. */
const MAX_GHOST_BODIES = 12;

export class View {
  readonly bodies: Bodies;
  private readonly planes: Plane[] = [];
  private readonly marks: ContactMarks;
  private readonly traces: Traces;
  private readonly bounds: Bounds;
  private readonly measure: MeasureMarks;
  private readonly events: EventMarks;
  private readonly impulses: ImpulseMarks | null;
  private readonly suggested: SuggestedMarks | null;
  private readonly springMark: SpringMark;
  private readonly triad: Triad;
  private readonly floor = new Group();
  private readonly local: Vec3[][];
  /** The bodies that were drawn in the contact colour, as a key. */
  private touchingKey = "";
  /** Whether ghosts wait for shapes that are loading. */
  private ghostsPending = false;
  /** The drawn shapes of deforming bodies, as keys of their frames. */
  private readonly drawnShapes = new Map<number, string>();
  /** The last shapes from a server. */
  private readonly liveShapes = new Map<number, Float32Array>();

  constructor(private readonly app: App, readonly stage: Stage, private readonly motionBox: Box, private readonly live: LiveSource | null) {
    const { playback, state } = app;
    this.bodies = new Bodies(playback, stage, this.planes);
    this.marks = new ContactMarks(stage, this.bodies);
    this.traces = new Traces(playback, stage, this.bodies);
    this.bounds = new Bounds(playback, stage, this.bodies);
    this.measure = new MeasureMarks(stage, this.bodies);
    this.events = new EventMarks(app, stage);
    this.impulses = playback.recording === null && playback.simulation === null ? null : new ImpulseMarks(stage);
    this.springMark = new SpringMark(stage);
    this.triad = new Triad(stage);
    this.local = playback.bodies.map((body) => bodyCorners(playback, body));
    const radius = (body: number): number => boundingSphere(boundingBox(this.local[body] ?? [])).radius;
    this.suggested = playback.suggested === null ? null : new SuggestedMarks(stage, radius);
    stage.scene.add(this.floor);
    live?.watch(() => {
      this.updatePoses();
      this.updateMarks();
      this.updateColours();
      this.updateImpulses();
    });
    state.watch(["theme"], () => {
      stage.paint(this.colours);
      this.triad.paint(this.colours);
    });
    state.watch(["time", "live"], () => this.updatePoses());
    app.frames.watch(() => {
      this.updatePoses();
      this.updateMarks();
      if (this.ghostsPending) this.updateGhosts();
    });
    state.watch(["time"], () => {
      // Features of a deforming body move with it.
      const pair = app.chosen === null ? [] : (app.playback.pairs[app.chosen.pair] ?? []);
      if (pair.some((body) => app.frames.has(body))) this.updateMarks();
    });
    state.watch(["time", "events", "live", "theme"], () => {
      const { time, events, live } = state.now;
      this.events.show(events && !live ? time - playback.start : null, this.colours);
    });
    state.watch(["time", "speed", "impulses", "live", "theme", "finding"], () => this.updateImpulses());
    state.watch(["finding", "body", "hidden", "theme", "fade", "ownColours", "live"], () => this.updateColours());
    state.watch(["time"], () => {
      // Repaints only when a contact starts or ends.
      const now = [...app.bodiesInContact()].join();
      if (now !== this.touchingKey) this.updateColours();
    });
    state.watch(["finding", "theme", "live", "impulses"], () => this.updateMarks());
    state.watch(["wireframe", "edges", "section"], () => this.bodies.setStyle(state.now));
    state.watch(["section", "sectionAxis", "sectionFraction", "sectionFlipped"], () => this.updateSection());
    state.watch(["ghosts", "finding", "body", "theme", "live"], () => this.updateGhosts());
    state.watch(["boxes", "theme"], () => this.bounds.showBoxes(state.now.boxes, this.colours));
    state.watch(["traced", "theme"], () => this.traces.showPath(state.now.traced, this.colours));
    state.watch(["up"], () => stage.setUpAxis(state.now.up));
    state.watch(["floor", "theme", "up"], () => {
      clearGroup(this.floor);
      if (state.now.floor) this.floor.add(floorGrid(stage, this.motionBox, state.now.up, this.colours));
      stage.invalidate();
    });
    state.watch(["finding"], () => this.flyToContact());
  }

  get colours(): Palette {
    return palette(this.app.state.now.theme);
  }

  /** The current poses of the bodies. */
  poses(): Pose[] {
    const { playback, state } = this.app;
    const live = state.now.live ? this.live?.poses() : null;
    return playback.bodies.map((body, number) => live?.[number] ?? body.track.pose(state.now.time));
  }

  /** The axes x, y and z in view coordinates: right, up and towards the viewer. */
  axes(): number[][] {
    return this.triad.axes.map((axis) => axis.toArray());
  }

  /** Number of drawn impulses. */
  get arrows(): number {
    return this.impulses?.count ?? 0;
  }

  /** Number of drawn suggestion arrows: impulses, and velocities after them. */
  get suggestions(): readonly [number, number] {
    return this.suggested?.counts ?? [0, 0];
  }

  /** Drawn position of a vertex of a deforming body in the world; null for other bodies. */
  vertex(body: number, vertex: number): Vec3 | null {
    const [skin, pose] = [this.bodies.objects[body]?.surface, this.bodies.pose(body)];
    const mesh = this.app.playback.meshes[this.app.playback.bodies[body]?.elements[0]?.mesh ?? -1];
    if (!skin || pose === undefined || mesh === undefined) return null;
    return toWorld(pose, vertexPosition({ positions: skin.places, origin: mesh.origin }, vertex));
  }

  /** Fits all visible bodies, from a direction in a z-up frame. */
  fit(from: Vec3 | null, flight: "fly" | "at once" = "fly"): void {
    const { hidden } = this.app.state.now;
    const poses = this.poses();
    const boxes = poses.flatMap((pose, body) => (hidden.has(body) ? [] : worldBox(this.bodies.corners(body) ?? this.local[body] ?? [], pose) ?? []));
    const box = boundingBox(boxes.flatMap(({ low, high }) => [low, high]));
    if (box !== null) this.stage.fitPoints(from === null ? null : this.stage.worldDirection(from), boxCorners(box), flight);
  }

  /** The surface at a position of the page. */
  pick(at: { x: number; y: number }): SurfaceHit | null {
    return pick(this.stage, this.bodies, this.app.playback, at, this.planes);
  }

  /** The measured points in the world. */
  measured(): Vec3[] {
    return this.measure.places(this.app.state.now.measured);
  }

  /** Updates all that depends on poses. */
  private updatePoses(): void {
    const { state } = this.app;
    const poses = this.poses();
    this.bodies.setPoses(poses);
    this.updateShapes();
    this.measure.show(state.now.measured, this.colours);
    this.bounds.showCells(state.now.cells ? poses : null, this.colours);
    this.updateScrew();
  }

  /** Updates the shapes of deforming bodies. While frames are loading, the last shape remains. */
  private updateShapes(): void {
    const { frames, state } = this.app;
    for (const body of frames.deforming) {
      const places = frames.shapeAt(body, state.now.time);
      const blend = JSON.stringify(frames.blendAt(body, state.now.time));
      if (places === null || this.drawnShapes.get(body) === blend) continue;
      this.drawnShapes.set(body, blend);
      this.bodies.setShape(body, places);
    }
    for (const [body, places] of (state.now.live ? this.live?.shapes() : null) ?? []) {
      if (this.liveShapes.get(body) === places) continue;
      this.liveShapes.set(body, places);
      this.bodies.setShape(body, places);
    }
  }

  /** Updates the picture after a change of measured points, cells or screws. */
  refresh(): void {
    this.updatePoses();
  }

  private updateColours(): void {
    const { app } = this;
    const { finding, hidden, fade, body, live } = app.state.now;
    const refused = live ? this.live?.refusedMove() : null;
    const pair = live ? null : app.chosen === null ? null : app.playback.pairs[app.chosen.pair];
    const touching = live ? new Set<number>() : app.bodiesInContact();
    this.touchingKey = [...touching].join();
    const roles = app.playback.bodies.map((_, number): Role => {
      if (refused) return refused.obstacles.has(number) ? "blocked" : refused.movingBodies.has(number) ? "a" : "plain";
      if (pair && number === pair[0]) return "a";
      if (pair && number === pair[1]) return "b";
      if (touching.has(number)) return "touching";
      if (pair) return fade ? "faded" : "plain";
      return finding === null && number === body ? "a" : "plain";
    });
    this.bodies.setColours(this.colours, roles, (number) => !hidden.has(number), app.state.now.ownColours ? "as in the file" : "by motion");
  }

  /** Updates impulses, the mouse spring and suggestions. */
  private updateImpulses(): void {
    const { state: { now: { time, speed, impulses, live } }, playback: { recording } } = this.app;
    const followed = live ? this.live?.impulses() : null;
    const list = live ? followed?.visible : recording?.visibleImpulses(time, VISIBLE_SECONDS * speed);
    const strongest = live ? followed?.strongest : recording?.strongest;
    const drawn = (impulses ? (list ?? []) : []).map((impulse) => ({ ...impulse, length: arrowLength(impulse.magnitude, strongest ?? 0, this.stage.radius) }));
    this.impulses?.show(drawn, this.colours);
    this.springMark.show(live ? (this.live?.spring() ?? null) : null, this.colours);
    const { chosen, playback: { suggested } } = this.app;
    const suggestion = this.app.suggestionOf(chosen);
    const suggestions = chosen !== null ? (suggestion === null ? [] : [suggestion]) : (suggested?.recent(time, VISIBLE_SECONDS * speed) ?? []);
    this.suggested?.show(impulses && !live ? suggestions : [], this.colours);
  }

  private updateMarks(): void {
    const { app } = this;
    if (app.state.now.live) {
      const place = this.live?.refusedMove()?.contact;
      this.marks.show(place ?? null, this.colours);
      return;
    }
    const { chosen, report } = app;
    const contact = chosen === null || report === null ? null : contactOf(report, chosen);
    if (chosen === null || contact === null) this.marks.show(null, this.colours);
    else {
      const facts = contactFacts(app, chosen);
      // The arrows of a suggestion already show the velocities.
      const velocity = app.state.now.impulses && app.suggestionOf(chosen) !== null ? null : facts.velocity;
      this.marks.show({ point: contact.point, normal: contact.normal, ...facts, velocity }, this.colours);
    }
  }

  private updateScrew(): void {
    const { body, screw, time, live } = this.app.state.now;
    const data = body === null ? undefined : this.app.playback.bodies[body];
    const segment = screw && !live ? (data?.track.segment(time) ?? null) : null;
    // The helix is the path of the centre of the body's box.
    const box = body === null ? null : boundingBox(this.local[body] ?? []);
    const middle = boundingSphere(box).centre;
    this.traces.showScrew(segment, segment === null ? middle : toWorld(segment.screw.start, middle), this.colours);
  }

  private updateGhosts(): void {
    const { app, colours } = this;
    const { ghosts, body, live } = app.state.now;
    const { start, end, bodies } = app.playback;
    const { chosen, report } = app;
    const pair = chosen === null ? [] : (app.playback.pairs[chosen.pair] ?? []);
    const candidates = pair.length > 0 ? [...pair] : body !== null ? [body] : bodies.map((_, number) => number);
    const moving = candidates.filter((number) => bodies[number]?.moves).slice(0, MAX_GHOST_BODIES);
    const hasContact = chosen !== null && report !== null && (intervalOf(report, chosen) !== null || contactOf(report, chosen) !== null);
    const enter = hasContact ? startTime(report, chosen) : undefined;
    const list = moving.flatMap((number) => [
      { body: number, time: start, colour: colours.moving },
      ...(enter === undefined ? [] : [{ body: number, time: enter, colour: colours.contact }]),
      { body: number, time: end, colour: colours.moving },
    ]);
    const shown = ghosts && !live ? list : [];
    const deforming = shown.filter((ghost) => app.frames.has(ghost.body));
    app.frames.requestAlso(deforming);
    this.ghostsPending = deforming.some((ghost) => app.frames.status(ghost.body, ghost.time) !== "shown");
    this.traces.showGhosts(shown, colours, (number, time) => app.frames.shapeAt(number, time));
  }

  private updateSection(): void {
    const { section, sectionAxis, sectionFraction, sectionFlipped } = this.app.state.now;
    this.planes.length = 0;
    if (section) {
      const sign = sectionFlipped ? 1 : -1;
      const normal = new Vector3(sectionAxis === "x" ? sign : 0, sectionAxis === "y" ? sign : 0, sectionAxis === "z" ? sign : 0);
      const at = (2 * sectionFraction - 1) * boundingSphere(this.motionBox).radius;
      this.planes.push(new Plane(normal, -sign * at));
    }
    this.bodies.caps.update();
    this.stage.invalidate();
  }

  /** Moves the camera to the chosen contact. */
  private flyToContact(): void {
    const { app } = this;
    const { chosen, report } = app;
    if (chosen === null || report === null || !app.state.now.follow) return;
    const contact = contactOf(report, chosen);
    const pair = app.playback.pairs[chosen.pair] ?? [];
    const poses = this.poses();
    if (contact !== null) {
      this.lookAt(contact, pair, poses);
      return;
    }
    // Without a contact point, fits the two bodies.
    const both = boundingBox(pair.flatMap((body) => (this.local[body] ?? []).map((corner) => toWorld(poses[body] as Pose, corner))));
    if (both !== null) this.stage.fitPoints(null, boxCorners(both), "fly");
  }

  /** Looks at a contact from an unoccluded direction, far enough to show both bodies. */
  private lookAt({ point, normal }: { point: Vec3; normal: Vec3 }, pair: readonly number[], poses: readonly Pose[]): void {
    const { stage, bodies, app } = this;
    const { hidden, fade } = app.state.now;
    const cornersOf = (body: number): Vec3[] => bodies.corners(body) ?? this.local[body] ?? [];
    const boxes = pair.map((body) => worldBox(cornersOf(body), poses[body] as Pose));
    const small = Math.min(...boxes.map((box) => boundingSphere(box).radius));
    // Clips a much larger body to the neighbourhood of the contact.
    const near = boxes.flatMap((box) => (box === null ? [] : boxCorners(box))).map((corner): Vec3 => {
      const separation = distance(corner, point);
      return separation <= CONTEXT_RADII * small ? corner : add(point, scale(sub(corner, point), (CONTEXT_RADII * small) / separation));
    });
    const shown = app.playback.bodies.map((_, body) => body).filter((body) => !hidden.has(body));
    const screens = bodies.occluders(shown, (body) => (pair.includes(body) || !fade ? 0 : FADED_TRANSMITTANCE));
    const now = stage.eyeDirection;
    const sight = { point, normal, size: 0.04 * small, eyeDistance: 4 * CONTEXT_RADII * small };
    const from = bestViewDirection(sight, screens, [now, ...DIRECTIONS.map((direction) => stage.worldDirection(direction))], { now, up: stage.upDirection });
    stage.fitPoints(from, [...near, point], "fly", point);
  }
}
