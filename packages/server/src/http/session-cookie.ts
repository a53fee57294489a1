import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './types.ts'

export const sessionCookieName = 'tickwright_session'
/** The longest time that a session can last. */
const maxAgeSeconds = 30 * 24 * 60 * 60

/**
 * Loads the plugin for cookies in a scope of its own. Its hooks would slow down every request, and only a few need
 * cookies.
 */
export async function loadCookies(app: App): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(fastifyCookie, { hook: false })
  })
}

/** @returns the token in the request's cookie, which nobody has checked yet */
export function readSessionCookie({ headers: { cookie } }: FastifyRequest): string | undefined {
  // Only a request with the cookie is parsed.
  return cookie?.includes(sessionCookieName) ? fastifyCookie.parse(cookie)[sessionCookieName] : undefined
}

/** Sets the cookie of a session, or clears it. No script can read it, and no other site sends it with a write. */
export class SessionCookie {
  #secure: boolean

  /** @param publicUrl if it is an HTTPS address, browsers send the cookie only over HTTPS */
  constructor(publicUrl: string) {
    this.#secure = publicUrl.startsWith('https:')
  }

  set(reply: FastifyReply, token: string): void {
    this.#send(reply, token, maxAgeSeconds)
  }

  clear(reply: FastifyReply): void {
    this.#send(reply, '', 0)
  }

  #send(reply: FastifyReply, value: string, maxAge: number): void {
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#secure, maxAge } as const
    reply.header('set-cookie', fastifyCookie.serialize(sessionCookieName, value, options))
  }
}
