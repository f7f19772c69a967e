// How surfaces are shaded: two lights fixed to the eye, as in a drawing office, and cheap enough for software. Seen from
// inside, as where a section cuts a solid open, a surface has one plain tone, so that the cut reads as a cut.

import { Color, DoubleSide, ShaderMaterial, type Plane } from "three";

const VERTEX = /* glsl */ `
#include <clipping_planes_pars_vertex>
varying vec3 vNormal;
void main() {
  vNormal = normalMatrix * normal;
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

const FRAGMENT = /* glsl */ `
#include <clipping_planes_pars_fragment>
uniform vec3 colour;
uniform float opacity;
uniform float cut;
varying vec3 vNormal;
void main() {
  #include <clipping_planes_fragment>
  vec3 n = normalize(vNormal);
  float light = 0.55;
  if (gl_FrontFacing || cut < 0.5) {
    if (!gl_FrontFacing) n = -n;
    light = 0.50 + 0.46 * max(dot(n, vec3(-0.34, 0.58, 0.74)), 0.0) + 0.16 * max(dot(n, vec3(0.75, -0.1, 0.65)), 0.0);
  }
  gl_FragColor = vec4(colour * light, opacity);
  #include <colorspace_fragment>
}`;

/** A material for one body: its colour and opacity are uniforms, so that they change without a new program. */
export function surfaceMaterial(planes: Plane[]): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { colour: { value: new Color() }, opacity: { value: 1 }, cut: { value: 0 } },
    side: DoubleSide,
    clipping: true,
    clippingPlanes: planes,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

/** Sets colour and opacity; below 1 it is drawn after what is opaque, and lets that shine through. */
export function tint(material: ShaderMaterial, colour: string, opacity: number): void {
  (material.uniforms["colour"]?.value as Color).set(colour);
  const uniform = material.uniforms["opacity"];
  if (uniform) uniform.value = opacity;
  material.transparent = opacity < 1;
  material.depthWrite = opacity >= 1;
}

/** Whether a section is cut, so that insides are shown as such. */
export function cutOpen(material: ShaderMaterial, open: "open" | "whole"): void {
  const uniform = material.uniforms["cut"];
  if (uniform) uniform.value = open === "open" ? 1 : 0;
}
