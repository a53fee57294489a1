import type { FastifyReply } from 'fastify'
import { AppError } from '../base/errors.ts'

/** Aborts when the connection of a request ends before its answer does: nobody reads the answer any more. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return
    gone.abort(new AppError('request_malformed', 'The connection ended before the answer.'))
  })
  return gone.signal
}
