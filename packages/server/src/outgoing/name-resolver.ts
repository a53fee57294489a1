import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { latestUsed } from '../base/latest-used.ts'

/** Finds the IP addresses of a host name. If there are none, it rejects with an error whose `code` says why. */
export type Resolve = (name: string) => Promise<string[]>

/** An answer is reused for at most this long, even if its time to live is longer, in ms. */
const longestUseMs = 30_000

/** The list of name servers is read again after this time, in ms, because a machine can change its network. */
const renewalMs = 30_000

/** Resolves like every other program on this machine. Not for names that users choose: a slow one blocks a thread. */
export const resolveAsSystem: Resolve = async (name) => {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/**
 * Resolves names that users choose, with the hosts file and the name servers of this machine.
 *
 * `dns.lookup` is not suitable: it blocks a thread of libuv's pool until the name server answers, and the process has
 * only two for this. A user with a name server that never answers could delay the requests of all others.
 */
export function createNameResolver(options: { servers?: string[]; hostsFile?: string } = {}): Resolve {
  const { servers, hostsFile = '/etc/hosts' } = options
  let resolver = makeResolver(servers)
  let madeMs = performance.now()
  const known = latestUsed<string, string[]>(10_000)

  return async (name) => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const local = await readHosts(hostsFile, name)
    if (local.length > 0) return local
    if (performance.now() - madeMs > renewalMs) {
      resolver = makeResolver(servers)
      madeMs = performance.now()
    }
    const found = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ])
    const records = found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
    if (records.length === 0) throw found.find((family) => family.status === 'rejected')?.reason
    // IPv4 first: it works everywhere, and lists of allowed addresses at exchanges mostly contain IPv4 addresses.
    const addresses = records.map(({ address }) => address)
    const ttl = Math.min(longestUseMs, ...records.map((record) => record.ttl * 1000))
    if (ttl > 0) known.set(name, addresses, { ttl })
    return addresses
  }
}

function makeResolver(servers: string[] | undefined): Resolver {
  // Two tries fit into the time of a request.
  const resolver = new Resolver({ timeout: 600, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return resolver
}

async function readHosts(file: string, name: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return address !== undefined && names.includes(name) ? [address] : []
  })
}
