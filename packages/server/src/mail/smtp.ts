import { createTransport, type Transporter } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import { placeholderEmail } from '../config.ts'
import type { Words } from './words.ts'

/** `refused` is final; `later` can be tried again. `reason` is for a person, and contains no credentials. */
export type Sent = { status: 'sent' } | { status: 'refused' | 'later'; reason: string }

const mostConnections = 2
const connectMs = 15_000
const silenceMs = 60_000
const reasonLimit = 300
const unreachable = `Nobody receives mail at ${placeholderEmail}. Change your address: POST /api/v2/user/email.`

/** A mail server. */
export class Smtp {
  #transport: Transporter<SMTPPool.SentMessageInfo, SMTPPool.Options>
  #from: string

  /**
   * @param url `smtp://` or `smtps://`, with credentials if the server needs them
   * @param from the sender's address
   */
  constructor(url: string, from: string) {
    this.#transport = createTransport(optionsOf(new URL(url)))
    // If an idle connection fails, the next mail opens a new one.
    this.#transport.on('error', () => undefined)
    this.#from = from
  }

  async send(to: string, messageId: string, { subject, text }: Words): Promise<Sent> {
    // As objects, so that nodemailer parses neither as a list of addresses.
    const [sender, recipient] = [this.#from, to]
    if (!isAddress(recipient)) return { status: 'refused', reason: 'This is not a valid address.' }
    // Many a mail server accepts it, and delivers it to nobody.
    if (recipient === placeholderEmail) return { status: 'refused', reason: unreachable }
    try {
      await this.#transport.sendMail({
        from: { name: 'Tickwright', address: sender },
        to: { name: '', address: recipient },
        envelope: { from: sender, to: [recipient] },
        messageId: `<${messageId}@${sender.slice(sender.lastIndexOf('@') + 1)}>`,
        subject,
        text: `${text}\n`,
        // Keeps automatic replies away (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      return { status: 'sent' }
    } catch (error) {
      return failureOf(error)
    }
  }

  /**
   * Connects, and signs in if the server needs that, but sends nothing.
   * @throws {Error} as the server or the connection says
   */
  async verify(): Promise<void> {
    await this.#transport.verify()
  }

  close(): void {
    this.#transport.close()
  }
}

function optionsOf(url: URL): SMTPPool.Options {
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isHere = host === 'localhost' || host === '::1' || host.startsWith('127.')
  const hasLogin = url.username !== ''
  const mustSecure = hasLogin && !secure && !isHere
  const auth = hasLogin
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined
  const options = {
    pool: true as const,
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // A password goes only over TLS, except to this machine itself.
    requireTLS: mustSecure,
    // Without a password, an unchecked certificate is better than no TLS, which would be the alternative.
    tls: { rejectUnauthorized: secure || mustSecure },
    ...(auth === undefined ? {} : { auth }),
    maxConnections: mostConnections,
    maxRequeues: 1,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return options
}

/** Whether the text is a single address, safe in an envelope. Whether it exists, only the server knows. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;"()\\\p{Cc}]+$/u.test(text)
}

function failureOf(error: unknown): Sent {
  const { code, responseCode, response, message } = error as {
    code?: string
    responseCode?: number
    response?: string
    message?: string
  }
  const text = response ?? message ?? String(error)
  const reason = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, reasonLimit)
  // Only errors about this mail are final. Errors of the connection or of the login are not.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  const isFinal = isAboutMail && responseCode !== undefined && responseCode >= 500
  return { status: isFinal ? 'refused' : 'later', reason }
}
