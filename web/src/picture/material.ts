// Shading of surfaces: two lights fixed to the camera, cheap enough for software rendering. Back faces have one plain
// tone, so that a section is recognisable.

import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, type Plane } from "three";

const VERTEX = /* glsl */ `
#include <clipping_planes_pars_vertex>
varying vec3 vNormal;
#ifdef PAINTED
attribute vec3 paint;
varying vec3 vPaint;
#endif
void main() {
  vNormal = normalMatrix * normal;
#ifdef PAINTED
  vPaint = paint;
#endif
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
#ifdef PAINTED
uniform float painted;
varying vec3 vPaint;
#endif
void main() {
  #include <clipping_planes_fragment>
  vec3 n = normalize(vNormal);
  float light = 0.62;
  if (gl_FrontFacing || cut < 0.5) {
    if (!gl_FrontFacing) n = -n;
    light = 0.68 + 0.30 * max(dot(n, vec3(-0.34, 0.58, 0.74)), 0.0) + 0.12 * max(dot(n, vec3(0.75, -0.1, 0.65)), 0.0);
  }
#ifdef PAINTED
  gl_FragColor = vec4(mix(colour, vPaint, painted) * light, opacity);
#else
  gl_FragColor = vec4(colour * light, opacity);
#endif
}`;

/** The material of a body. Colour and opacity are uniforms, so that a change needs no new shader program. */
export function surfaceMaterial(planes: Plane[], paint: "one colour" | "painted" = "one colour"): ShaderMaterial {
  return new ShaderMaterial({
    // The attribute `paint` has the sRGB colour of each corner.
    defines: paint === "painted" ? { PAINTED: "" } : {},
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { colour: { value: new Color() }, opacity: { value: 1 }, cut: { value: 0 }, painted: { value: 1 } },
    side: DoubleSide,
    clipping: true,
    clippingPlanes: planes,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

/** Sets colour and opacity. A translucent body is drawn after opaque ones. */
export function tint(material: ShaderMaterial, colour: string, opacity: number): void {
  // In sRGB: shading in linear light would need a power function for every pixel.
  (material.uniforms["colour"]?.value as Color).set(colour).convertLinearToSRGB();
  const uniform = material.uniforms["opacity"];
  if (uniform) uniform.value = opacity;
  material.transparent = opacity < 1;
  material.depthWrite = opacity >= 1;
}

/** Whether corners show their own colours, or the colour of the material. */
export function showVertexColours(material: ShaderMaterial, shown: boolean): void {
  const uniform = material.uniforms["painted"];
  if (uniform) uniform.value = shown ? 1 : 0;
}

/** Whether a section is active, so that back faces are visible as such. */
export function setSectionCut(material: ShaderMaterial, open: "open" | "whole"): void {
  const uniform = material.uniforms["cut"];
  if (uniform) uniform.value = open === "open" ? 1 : 0;
}

const BACKDROP_VERTEX = /* glsl */ `
varying float height;
void main() {
  height = uv.y;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

const BACKDROP_FRAGMENT = /* glsl */ `
uniform vec3 top;
uniform vec3 bottom;
varying float height;
void main() {
  gl_FragColor = vec4(mix(bottom, top, height), 1.0);
}`;

/** The background, a vertical gradient. */
export function backdrop(): Mesh<PlaneGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    vertexShader: BACKDROP_VERTEX, fragmentShader: BACKDROP_FRAGMENT, depthTest: false, depthWrite: false,
    uniforms: { top: { value: new Color() }, bottom: { value: new Color() } },
  });
  const mesh = new Mesh(new PlaneGeometry(2, 2), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -10;
  return mesh;
}

/** Sets the colours of the background. */
export function paintBackdrop(mesh: Mesh<PlaneGeometry, ShaderMaterial>, top: string, bottom: string): void {
  for (const [name, colour] of Object.entries({ top, bottom })) {
    (mesh.material.uniforms[name]?.value as Color).set(colour).convertLinearToSRGB();
  }
}
