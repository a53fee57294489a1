/** Measures and cuts text. */

const nonAscii = /[^\0-\x7f]/

/** The length of a text in bytes of UTF-8. */
export function byteLength(text) {
  if (!nonAscii.test(text)) return text.length
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    // A surrogate pair is two units and four bytes; a lone one becomes U+FFFD, three bytes.
    if (unit >= 0x800) bytes += unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(index + 1)) ? 0 : 2
    else if (unit >= 0x80) bytes += 1
  }
  return bytes
}

function isLow(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The longest start of a text that fits into `limit` bytes. It never cuts a surrogate pair in half. */
export function cutToBytes(text, limit) {
  let bytes = 0
  let end = 0
  for (const character of text.slice(0, limit)) {
    bytes += byteLength(character)
    if (bytes > limit) break
    end += character.length
  }
  return text.slice(0, end)
}
