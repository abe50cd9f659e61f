// @ts-check
// Draws slices by WebGL2, one instance of a quad per slice. Browsers allow 8 to 16 contexts in a page, so all timelines share one:
// it draws on a canvas outside of the page, from which each timeline copies its picture.

/** @import { Backend, Frame, Slices, Strip } from "../types/timeline-view" */

// Start and end (with start and duration, ends of neighbours would differ) are float32 with a remainder each: one float32 has too few
// digits for a short event of a long trace. Their distance to the left edge is what the pixels need.
const VERTEX = `#version 300 es
layout(location = 0) in vec4 span;
layout(location = 1) in float row;
layout(location = 2) in vec4 colour;
uniform vec3 view;
uniform vec3 place;
uniform vec2 size;
flat out vec4 fill;
void main() {
  vec2 x = ((span.xz - view.x) + (span.yw - view.y)) * view.z;
  float left = floor(clamp(x.x, -8.0, size.x + 8.0) + 0.5);
  float right = floor(clamp(x.y, -8.0, size.x + 8.0) + 0.5);
  right = max(right, left + 1.0);
  right -= right - left > 3.0 ? 1.0 : 0.0;
  float top = floor(place.x + row * place.y + 0.5);
  float bottom = max(floor(place.x + row * place.y + place.z + 0.5), top + 1.0);
  vec2 at = vec2((gl_VertexID & 1) == 0 ? left : right, (gl_VertexID & 2) == 0 ? top : bottom);
  fill = vec4(colour.rgb * colour.a, colour.a);
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 fill;
out vec4 pixel;
void main() { pixel = fill; }`;

/** @typedef {{ spans: WebGLBuffer, rows: WebGLBuffer, colours: WebGLBuffer, array: WebGLVertexArrayObject, drawn: Uint32Array }} Held */

/** @param {WebGL2RenderingContext} gl @param {number} kind @param {string} text */
function compiled(gl, kind, text) {
  const shader = gl.createShader(kind);
  if (!shader) {
    return null;
  }
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

/** Returns the program with the places of its uniforms; null if the context is lost. @param {WebGL2RenderingContext} gl */
function programOf(gl) {
  const [vertex, fragment] = [compiled(gl, gl.VERTEX_SHADER, VERTEX), compiled(gl, gl.FRAGMENT_SHADER, FRAGMENT)];
  const program = gl.createProgram();
  if (!vertex || !fragment || !program) {
    return null;
  }
  gl.attachShader(program, vertex);
  gl.attachShader(program, fragment);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    return null;
  }
  const uniform = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
  return { program, view: uniform("view"), place: uniform("place"), size: uniform("size") };
}

/** Returns start and end of slices, each as a float32 and its remainder. @param {Slices} slices */
export function splitTimes({ start, end, length }) {
  const spans = new Float32Array(4 * length);
  for (let at = 0; at < length; at += 1) {
    spans[4 * at] = start[at];
    spans[4 * at + 1] = start[at] - spans[4 * at];
    spans[4 * at + 2] = end[at];
    spans[4 * at + 3] = end[at] - spans[4 * at + 2];
  }
  return spans;
}

/** Returns the row of each slice. @param {Slices} slices */
function rowsOf({ first, length }) {
  const rows = new Uint16Array(length);
  for (let row = 0; row + 1 < first.length; row += 1) {
    rows.fill(row, first[row], first[row + 1]);
  }
  return rows;
}

class SharedContext {
  /** @param {OffscreenCanvas} canvas @param {WebGL2RenderingContext} gl */
  constructor(canvas, gl) {
    this.name = "webgl";
    this.canvas = canvas;
    this.gl = gl;
    this.parts = programOf(gl);
    /** @type {Map<Slices, Held>} */
    this.held = new Map();
    canvas.addEventListener("webglcontextlost", (event) => {
      // Without this the context is not restored.
      event.preventDefault();
      this.parts = null;
      this.held.clear();
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.parts = programOf(gl);
    });
  }

  /** Returns the buffers of slices, with their current colours. @param {Strip} strip */
  buffers({ slices, colours }) {
    const { gl } = this;
    let held = this.held.get(slices);
    if (!held) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      /** @param {number} place @param {AllowSharedBufferSource | null} data @param {number} size @param {number} type @param {boolean} unit */
      const column = (place, data, size, type, unit) => {
        const buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        if (data) {
          gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
        }
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, size, type, unit, 0, 0);
        gl.vertexAttribDivisor(place, 1);
        return buffer;
      };
      held = {
        array,
        spans: column(0, splitTimes(slices), 4, gl.FLOAT, false),
        rows: column(1, rowsOf(slices), 1, gl.UNSIGNED_SHORT, false),
        colours: column(2, colours, 4, gl.UNSIGNED_BYTE, true),
        drawn: colours,
      };
      this.held.set(slices, held);
    } else if (held.drawn !== colours) {
      gl.bindBuffer(gl.ARRAY_BUFFER, held.colours);
      gl.bufferData(gl.ARRAY_BUFFER, colours, gl.STATIC_DRAW);
      held.drawn = colours;
    }
    return held;
  }

  /** @param {CanvasRenderingContext2D} context @param {Frame} frame */
  draw(context, { width, height, span, strips }) {
    const { gl, canvas, parts } = this;
    if (!parts || gl.isContextLost()) {
      return false;
    }
    if (canvas.width < width || canvas.height < height) {
      canvas.width = Math.max(canvas.width, width);
      canvas.height = Math.max(canvas.height, height);
    }
    gl.viewport(0, canvas.height - height, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, canvas.height - height, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(parts.program);
    gl.disable(gl.BLEND);
    gl.uniform2f(parts.size, width, height);
    const scale = width / (span.to - span.from);
    const from = Math.fround(span.from);
    gl.uniform3f(parts.view, from, span.from - from, scale);
    for (const strip of strips) {
      const first = Math.max(0, Math.round((strip.clip.from - span.from) * scale));
      const last = Math.min(width, Math.round((strip.clip.to - span.from) * scale));
      if (strip.slices.length && first < last) {
        gl.bindVertexArray(this.buffers(strip).array);
        gl.scissor(first, canvas.height - height, last - first, height);
        gl.uniform3f(parts.place, strip.top, strip.pitch, strip.bar);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, strip.slices.length);
      }
    }
    gl.bindVertexArray(null);
    context.clearRect(0, 0, width, height);
    context.drawImage(canvas, 0, 0, width, height, 0, 0, width, height);
    return !gl.isContextLost();
  }

  /** @param {Iterable<Slices>} all */
  release(all) {
    const { gl } = this;
    for (const slices of all) {
      const held = this.held.get(slices);
      if (held) {
        gl.deleteVertexArray(held.array);
        [held.spans, held.rows, held.colours].forEach((buffer) => gl.deleteBuffer(buffer));
        this.held.delete(slices);
      }
    }
    if (!this.held.size) {
      // Nothing is drawn any more: the picture's memory is given back, too.
      [this.canvas.width, this.canvas.height] = [1, 1];
    }
  }
}

/** Names of renderers that emulate a GPU: those of Chromium, Mesa and Windows. */
const EMULATED = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** @type {SharedContext | null | undefined} */
let context;

/** Whether `glBackend` has an answer already: the first one of a page may take a while. */
export const isGlKnown = () => context !== undefined;

/** Whether a processor does the GPU's work: in software, `timeline-raster.js` takes 2 ms where WebGL takes 100 ms and more. @param {WebGL2RenderingContext} gl */
function isEmulated(gl) {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return EMULATED.test(String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)));
}

/**
 * Returns the page's context, or null where WebGL2 is missing or emulated.
 *
 * @param {{ emulated?: boolean }} [options] whether an emulation will do, as in tests
 * @returns {Backend | null}
 */
export function glBackend({ emulated = false } = {}) {
  if (context === undefined || (emulated && !context)) {
    const canvas = typeof OffscreenCanvas === "undefined" ? null : new OffscreenCanvas(1, 1);
    const gl = canvas?.getContext("webgl2", { alpha: true, antialias: false, depth: false, premultipliedAlpha: true });
    const wanted = canvas && gl && (emulated || !isEmulated(gl));
    context = wanted ? new SharedContext(canvas, gl) : null;
    context = context?.parts ? context : null;
    if (!context) {
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
    }
  }
  return context;
}
