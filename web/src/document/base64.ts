// Binary arrays in documents and messages: base64 of little-endian numbers, which is the byte order of every browser.

/** Decodes base64 to a whole number of items of `size` bytes each; throws an error that names `what`. */
export function bytes(text: string, name: string, size: number): ArrayBuffer {
  let raw: string;
  try {
    raw = atob(text);
  } catch {
    throw new Error(`${name}: not base64`);
  }
  if (raw.length % size !== 0) throw new Error(`${name}: ${raw.length} bytes are not whole items of ${size}`);
  const buffer = new ArrayBuffer(raw.length);
  const view = new Uint8Array(buffer);
  for (let at = 0; at < raw.length; at += 1) view[at] = raw.charCodeAt(at);
  return buffer;
}
