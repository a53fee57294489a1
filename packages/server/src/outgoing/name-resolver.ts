import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'

/** Finds the IP addresses of a host name. Rejects with an error whose `code` says why there are none. */
export type Resolve = (name: string) => Promise<string[]>

/** How long an answer is used again at most, whatever its own time to live says, in ms. */
const longestUseMs = 30_000

/** How long name servers are asked until it is looked up again which they are, in ms: a machine may change its network. */
const renewalMs = 30_000

/** Resolves as every other program on this machine does. For names that no user chooses: a slow one blocks a thread. */
export const resolveAsSystem: Resolve = async (name) => {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/**
 * Resolves names that users choose: from the hosts file, and from the name servers of this machine.
 *
 * Not with `dns.lookup`: that keeps a thread of libuv's pool until the name server answers, and there are two for all
 * of the process. A user with a name server that never answers could hold up the requests of everybody else.
 */
export function createNameResolver(options: { servers?: string[]; hostsFile?: string } = {}): Resolve {
  const { servers, hostsFile = '/etc/hosts' } = options
  let resolver = makeResolver(servers)
  let madeMs = performance.now()
  const known = new LRUCache<string, string[]>({ max: 10_000 })

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
    // IPv4 first: it works everywhere, and the addresses that an exchange lets in are mostly given as IPv4.
    const addresses = records.map(({ address }) => address)
    const ttl = Math.min(longestUseMs, ...records.map((record) => record.ttl * 1000))
    if (ttl > 0) known.set(name, addresses, { ttl })
    return addresses
  }
}

function makeResolver(servers: string[] | undefined): Resolver {
  // Asks twice within the time of a request.
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
