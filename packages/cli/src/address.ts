import { wrongUse } from './failures.ts'

/**
 * The origin of a service as a person writes it.
 * @throws {Failure} if it is no address of a service, or would send secrets through a network in plain text
 */
export function serviceOrigin(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw wrongUse(`'${text}' is not the address of a service. Write it like https://trading.example.com.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongUse('The address of a service has no user name and no password in it.')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw wrongUse(`The address of a service has no path: ${url.origin}.`)
  }
  if (url.protocol === 'http:' && !isThisMachine(url.hostname)) {
    throw wrongUse(
      `${url.origin} would send secrets in plain text: use https, or a tunnel to 127.0.0.1. Only the service on this machine may be reached by http.`,
    )
  }
  return url.origin
}

/** Whether two origins lead to the same service: this machine has several names. */
export function isSameService(one: string, other: string): boolean {
  const plain = (text: string) => {
    const url = URL.parse(text)
    if (url === null) return text
    const { protocol, hostname, port } = url
    return `${protocol} ${isThisMachine(hostname) ? 'localhost' : hostname} ${port}`
  }
  return plain(one) === plain(other)
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
