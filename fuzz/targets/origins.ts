import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { isFromOwnPage } from '../../packages/server/src/http/origins.ts'
import { textTarget } from '../target.ts'

const publicUrl = 'https://tickwright.example'

/** Lines are Origin, Host and Referer: a page belongs to the service at the public address, or at a numeric address. */
export default textTarget({
  seeds: [
    'https://tickwright.example\na',
    'http://127.0.0.1:3000\n127.0.0.1:3000',
    'http://localhost\nLOCALHOST',
    '\nlocalhost\nhttp://localhost/a',
    'null\n[::1]:1',
    'http://evil.example\nevil.example',
  ],
  words: [
    'http://',
    'https://',
    '@',
    ':',
    '.',
    '/',
    '[::1]',
    '127.1',
    '0x7f.1',
    'localhost',
    'evil.example',
    'null',
    '\n',
    '\\',
  ],
  byteLimit: 200,
  check: (text) => {
    const [origin = '', host = '', referer] = text.split('\n')
    const isOwn = isFromOwnPage(
      { ...(origin === '' ? {} : { origin }), host, ...(referer === undefined ? {} : { referer }) },
      publicUrl,
    )
    if (isOwn !== true) return
    const from = URL.parse(origin === '' ? referer! : origin)
    if (from?.origin === publicUrl) return
    const name = from!.hostname.replace(/^\[|\]$/g, '')
    assert.ok(name === 'localhost' || isIP(name) !== 0, name)
    assert.equal(from!.host, host.toLowerCase())
  },
})
