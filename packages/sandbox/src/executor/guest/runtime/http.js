import {
  bodyByteLimit,
  headersLengthLimit,
  httpRequestsPerRun,
  httpTimeoutMs,
  secretLengthLimit,
  signedLengthLimit,
  urlLengthLimit,
} from '../../../limits.ts'
import { signatureAlgorithms } from '../../../types.ts'
import { checkText, keysOf, member } from './arguments.js'
import { now } from './clock.js'
import { ask } from './host.js'
import { byteLength } from './text.js'

const { stringify } = JSON
const { freeze } = Object
const { isArray } = Array

/**
 * `$.Http` of a run.
 *
 * @param {{ createApiClient: Function, baseUrl: string } | undefined} apiClient
 */
export function httpOf(state, apiClient) {
  const generateSignature = freeze(
    async (payload, secret, algo) => await sign(state, checkSigning(payload, secret, algo)),
  )
  const http = {
    timeout: httpTimeoutMs,
    get: freeze(async (url, params, headers) => await request(state, 'GET', url, params, headers, null)),
    post: freeze(
      async (url, data, headers) => await request(state, 'POST', url, undefined, headers, bodyOf(data)),
    ),
    put: freeze(
      async (url, data, headers) => await request(state, 'PUT', url, undefined, headers, bodyOf(data)),
    ),
    delete: freeze(
      async (url, params, headers) => await request(state, 'DELETE', url, params, headers, null),
    ),
    generateSignature,
    createApiClient: freeze((credentials) => {
      if (apiClient === undefined) throw new Error('This sandbox has no API client.')
      const { createApiClient, baseUrl } = apiClient
      return createApiClient(credentials, { baseUrl, http, generateSignature, now })
    }),
  }
  return freeze(http)
}

function sign(state, call) {
  if (state.signedLength + call.payload.length > signedLengthLimit)
    throw new Error(`A run may sign at most ${signedLengthLimit} characters.`)
  state.signedLength += call.payload.length
  return ask(state, 'sign', call)
}

function request(state, method, url, params, headers, body) {
  checkText(url, 'url', urlLengthLimit)
  const request = { method, url, params: paramsOf(params), headers: headersOf(headers), body }
  if (state.httpRequests >= httpRequestsPerRun)
    throw new Error(`A run may send at most ${httpRequestsPerRun} HTTP requests.`)
  state.httpRequests += 1
  return ask(state, 'http', { request })
}

/** Pairs of name and value, in order. A list repeats its name; `null` and `undefined` are left out. */
function paramsOf(params) {
  const pairs = []
  let length = 0
  for (const key of keysOf(params, 'params')) {
    const value = params[key]
    for (const item of isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue
      if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean')
        throw new TypeError(
          `${member('params', key)} must be a string, a number, a boolean or a list of them`,
        )
      const text = `${item}`
      // `&` and `=` count too, so that empty pairs are limited.
      length += key.length + text.length + 2
      if (length > urlLengthLimit)
        throw new RangeError(`params may have at most ${urlLengthLimit} characters`)
      pairs.push([key, text])
    }
  }
  return pairs
}

function headersOf(headers) {
  const texts = { __proto__: null }
  let length = 0
  for (const key of keysOf(headers, 'headers')) {
    const value = headers[key]
    if (value === undefined) continue
    if (typeof value !== 'string') throw new TypeError(`${member('headers', key)} must be a string`)
    length += key.length + value.length
    if (length > headersLengthLimit)
      throw new RangeError(`headers may have at most ${headersLengthLimit} characters`)
    texts[key] = value
  }
  return texts
}

function bodyOf(data) {
  if (data === undefined) return null
  const text = typeof data === 'string' ? data : stringify(data)
  if (text === undefined) throw new TypeError(`data cannot be of type ${typeof data}`)
  checkBytes(text, 'data')
  return text
}

function checkSigning(payload, secret, algo) {
  if (typeof payload !== 'string') throw new TypeError('payload must be a string')
  checkBytes(payload, 'payload')
  checkText(secret, 'secret', secretLengthLimit)
  const algorithm = algo ?? 'HMAC'
  if (!signatureAlgorithms.includes(algorithm))
    throw new TypeError(`algo must be one of ${signatureAlgorithms.join(', ')}`)
  return { payload, secret, algorithm }
}

function checkBytes(text, name) {
  if (text.length > bodyByteLimit || byteLength(text) > bodyByteLimit)
    throw new RangeError(`${name} may have at most ${bodyByteLimit} bytes`)
}
