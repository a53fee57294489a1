import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { App } from './types.ts'

/** How long, and for how many bytes, the service reads on after it has refused a request whose body still arrives. */
const graceMs = 5000
const graceBytes = 8 * 1024 * 1024

/**
 * Lets a sender read an answer that comes before all of its body has arrived. The connection of such a request ends with
 * the answer. If it ended at once, the operating system would refuse what the sender is still sending, and many senders
 * then report a broken connection and never see the reason (RFC 9112, section 9.6). So the service closes its own
 * side, and throws away what still arrives until the sender closes too, within bounds that no sender can move.
 */
export function endGently(reply: FastifyReply): void {
  const { raw: request } = reply.request
  const { socket } = request
  // A request that the service makes of itself has no connection.
  if (request.complete || typeof socket?.destroySoon !== 'function') return
  socket.destroySoon = () => closeOwnSide(socket)
}

/** Does nothing of what a sender asks after such an answer on the same connection: nobody would hear what became of it. */
export function ignoreLateRequests(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    if (socket.writableEnded !== true) return done()
    reply.hijack()
    socket.destroy()
  })
}

function closeOwnSide(socket: Socket): void {
  const mostBytes = socket.bytesRead + graceBytes
  const end = () => socket.destroy()
  const check = () => {
    if (socket.bytesRead > mostBytes) end()
  }
  const timer = setTimeout(end, graceMs).unref()
  const sweep = setInterval(check, graceMs / 50).unref()
  socket.once('end', end)
  socket.once('close', () => {
    clearTimeout(timer)
    clearInterval(sweep)
  })
  socket.end()
}
