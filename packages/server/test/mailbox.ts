import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = Omit<Email, 'sender'> & { sender: string; recipients: string[] }

/** A mail server on the loopback address that keeps what it is sent. */
export type Mailbox = AsyncDisposable & {
  /** As `SMTP_URL` takes it. */
  url: string
  received: ReceivedMail[]
  /** To one address, the oldest first. */
  to(address: string): ReceivedMail[]
}

/** @param onData sees a mail before it is answered; what it throws is the answer, by its `responseCode` */
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
  // A client that is killed is none of the server's troubles.
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

/** What a mail server answers in place of taking a mail. */
export function answerOf(responseCode: number): Error {
  return Object.assign(new Error('No.'), { responseCode })
}
