import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A certificate and its private key, in PEM. */
export type Certificate = { cert: string; key: string }

/** Creates a self-signed certificate for DNS names and IPv4 addresses, valid from yesterday to tomorrow. */
export function makeCertificate(names: string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'))
  const subject = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('Tickwright test')))))
  const alternatives = names.map((name) => {
    const isAddress = /^[\d.]+$/.test(name)
    return isAddress ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))
  })
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    ecdsaWithSha256,
    subject, // issuer
    der(0x30, utcTime(-1), utcTime(1)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(0x30, der(0x30, oid('551d11'), der(0x04, der(0x30, ...alternatives))))), // alternative names
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)])
  const certificate = der(0x30, content, ecdsaWithSha256, der(0x03, signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

/** One value in DER: tag, length, and content (X.690, section 8.1). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function utcTime(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/^..|[-T:]|\.\d+/g, '')
  return der(0x17, Buffer.from(text))
}
