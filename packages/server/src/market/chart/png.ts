import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const compress = promisify(deflate)

/** https://www.w3.org/TR/png-3/ */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const trueColourWithAlpha = 6
/** A third of the time of the default, and a picture of 56 KB instead of 42 KB. */
const level = 3

/** There is no renderer for this platform. The message says why, for a person. */
export class NoRenderer extends Error {
  override name = 'NoRenderer'
}

type Renderer = typeof import('@resvg/resvg-js')

/**
 * Draws an SVG as a PNG. Both happen in threads of Node's pool; the process itself only copies pixels.
 * @throws {NoRenderer} if the library has no build for this platform
 */
export async function pngOf(svg: string): Promise<Buffer> {
  const { renderAsync } = await loadRenderer()
  const picture = await renderAsync(svg, { font: { loadSystemFonts: false }, logLevel: 'off' })
  return encodePng(picture.pixels, picture.width, picture.height)
}

async function loadRenderer(): Promise<Renderer> {
  // @types/node does not know this property, which Node has since 22.13.
  const report = process.report as typeof process.report & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  try {
    // The library asks for a diagnostic report to learn which C library there is. It would look up the name of each peer.
    report.excludeNetwork = true
    const module = (await import('@resvg/resvg-js')) as Renderer & { default?: Renderer }
    return module.default ?? module
  } catch (cause) {
    const { platform, arch } = process
    throw new NoRenderer(
      `Charts cannot be drawn here: @resvg/resvg-js has no build for ${platform} ${arch}, or it was not installed.`,
      { cause },
    )
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** @param pixels four bytes each: red, green, blue and alpha */
export async function encodePng(pixels: Buffer, width: number, height: number): Promise<Buffer> {
  const rowBytes = 4 * width
  // Each row begins with a byte that names its filter. Zero is none, which suits large areas of one colour.
  const rows = Buffer.alloc((rowBytes + 1) * height)
  for (let row = 0; row < height; row += 1) {
    pixels.copy(rows, row * (rowBytes + 1) + 1, row * rowBytes, (row + 1) * rowBytes)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, trueColourWithAlpha, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', await compress(rows, { level })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, checksum])
}
