import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { AppError } from '../base/errors.ts'
import { errorBody } from './error-body.ts'

/** Answers data that is not valid HTTP, in the shape of every error. No route ever sees such a request. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const failure = new AppError('request_malformed', describe(error.code))
  const body = errorBody(failure, randomUUID())
  const head = [
    `HTTP/1.1 ${failure.status} Bad Request`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function describe(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The address and headers of the request are too long.'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request did not arrive in time.'
  return 'The request is not valid HTTP.'
}
