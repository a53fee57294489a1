import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = Omit<Email, 'sender'> & { sender: string; recipients: string[] }

/** A mail server on the loopback address that keeps the mails it receives. */
export type Mailbox = AsyncDisposable & {
  /** In the format of `SMTP_URL`. */
  url: string
  received: ReceivedMail[]
  /** The mails to one address, oldest first. */
  to(address: string): ReceivedMail[]
}

/** @param onData sees a mail before the answer. If it throws, the error's `responseCode` is the answer. */
export async function startMailbox(
  onData: (mail: ReceivedMail) => Promise<void> | void = () => undefined,
  options: SMTPServerOptions = {},
): Promise<Mailbox> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    ...options,
    onData: (stream, session, done) => {
      const read = async () => {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const email = await PostalMime.parse(Buffer.concat(chunks))
        const { mailFrom, rcptTo } = session.envelope
        const sender = mailFrom === false ? '' : mailFrom.address
        const mail = { ...email, sender, recipients: rcptTo.map(({ address }) => address) }
        await onData(mail)
        received.push(mail)
      }
      read().then(() => done(), done)
    },
  })
  // Ignore errors of killed clients.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    to: (address) => received.filter(({ recipients }) => recipients.includes(address)),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The refusal of a mail server. */
export function answerOf(responseCode: number): Error {
  return Object.assign(new Error('No.'), { responseCode })
}
