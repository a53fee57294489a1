import { ApiError, ConnectionError } from '@tickwright/client'

/** What a page says about a failure: what happened, what is safe, and what to do. */
export type Explanation = { what: string; safe: string | null; todo: string | null; requestId: string | null }

/** Whether an error says that the session has ended, and not that a password or a code was wrong. */
export function isEndOfSession(code: string): boolean {
  return code === 'auth_session' || code === 'auth_missing'
}

/**
 * @param isChange whether the failed request wanted to change something
 * @param isOnline whether this device has a network
 */
export function explain(error: unknown, isChange = false, isOnline = navigator.onLine): Explanation {
  if (error instanceof ConnectionError) return { ...explainSilence(isChange, isOnline), requestId: null }
  if (error instanceof ApiError) return { ...explainAnswer(error, isChange), requestId: error.requestId }
  if (isMissingPart(error)) return { ...explainMissingPart(isOnline), requestId: null }
  const what = error instanceof Error ? error.message : String(error)
  return { what: `This page has an error: ${what}`, safe: null, todo: 'Reload the page.', requestId: null }
}

/** Whether a script of the page did not arrive. Only a reload asks for it again. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|importing a module/i.test(error.message)
}

type Words = Omit<Explanation, 'requestId'>

const worksOn = 'Your strategies and bots work on the service, not on this page.'
/** A second click is a second request, so a page cannot promise more. */
const unknownChange = 'Nobody knows whether the change was made. Look before you try again.'

function explainSilence(isChange: boolean, isOnline: boolean): Words {
  return {
    what: isOnline ? 'The service does not answer.' : 'This device is offline.',
    safe: isChange ? unknownChange : worksOn,
    todo: isChange ? whatWasTyped : isOnline ? againByItself : onceOnline,
  }
}

const whatWasTyped = 'What you typed is still here.'
const againByItself = 'This page tries again by itself.'
const onceOnline = 'This page goes on once you are online.'

function explainMissingPart(isOnline: boolean): Words {
  return {
    what: isOnline
      ? 'A part of this page did not arrive.'
      : 'This device is offline, and a part of this page is missing.',
    safe: worksOn,
    todo: isOnline ? 'Reload the page.' : 'Reload the page once you are online.',
  }
}

function explainAnswer(error: ApiError, isChange: boolean): Words {
  const { status, code, message } = error
  if (isEndOfSession(code)) return { what: 'Your session has ended.', safe: null, todo: 'Sign in again.' }
  if (status === 429) return explainTooMany(error)
  if (code === 'unknown' && status >= 500) return explainProxy(status, isChange)
  if (status === 503)
    return {
      what: message,
      safe: 'What the service has accepted is stored.',
      todo: isChange ? 'Try again in a moment.' : againByItself,
    }
  return { what: message, safe: null, todo: null }
}

/** The service says itself how long to wait, and so do some proxies. */
function explainTooMany({ code, message }: ApiError): Words {
  const [wait] = /try again in \d+ s\./i.exec(message) ?? []
  const safe = 'Nothing was changed.'
  if (code === 'unknown')
    return { what: 'Too many requests came from here.', safe, todo: wait ?? 'Try again in a moment.' }
  return { what: message, safe, todo: wait === undefined ? 'Try again in a moment.' : null }
}

/** The answer of a proxy: the service itself answers with a code. */
function explainProxy(status: number, isChange: boolean): Words {
  return {
    what: `Something between this page and the service answered with status ${status}. The service may be starting.`,
    safe: isChange ? unknownChange : worksOn,
    todo: isChange ? 'Try again in a moment.' : againByItself,
  }
}
