import { ApiError } from '@tickwright/client'

/** What someone else than the service answers has no code: then only the status and the time to wait say something. */
export function refusalOf(status: number, text: string, retryAfter: string | null): ApiError {
  const { code, error, details } = (jsonOf(text) ?? {}) as Record<string, never>
  if (typeof code === 'string' && typeof error === 'string')
    return new ApiError({ status, code, message: error, details: details ?? [] })
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? ` Try again in ${retryAfter} s.` : ''
  return new ApiError({ status, code: 'unknown', message: `HTTP status ${status}.${wait}` })
}

/** @returns `undefined` for a text that is no JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
