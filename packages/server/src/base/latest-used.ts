import { LRUCache } from 'lru-cache'

/**
 * A cache that keeps the latest used entries. Its memory grows with its entries: with the library's `max`, the dozen
 * large caches of the service would take 50 ms of processor time and 10 MB at each start, most of it for nothing.
 * @param most entries; the longest unused one is dropped first
 * @param ttlMs how long an entry is valid. Default: for ever
 */
export function latestUsed<Key extends {}, Value extends {}>(
  most: number,
  ttlMs?: number,
): LRUCache<Key, Value> {
  const ttl = ttlMs === undefined ? {} : { ttl: ttlMs }
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...ttl })
}
