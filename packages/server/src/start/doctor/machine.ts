/** Node, the clock, and how well strategies are contained here. */

import { openSandbox } from '@tickwright/sandbox'
import type { Config } from '../../config.ts'
import { containmentRemedy, layerNeeds } from '../../runs/containment-needs.ts'
import { type Finding, wordsOf } from './finding.ts'

/** isolated-vm, in which strategies run, is built for these; the service is tried with the oldest minor version. */
const nodeVersions: Record<string, number> = { 24: 9, 26: 0 }
/** Exchanges refuse a signed request whose time is off by more; the strictest one allows a second. */
const mostOffMs = 1_000
const clockUrl = 'https://api.kraken.com'
const timeoutMs = 5_000

export function node(version: string = process.versions.node): Finding {
  const [major = '', minor] = version.split('.')
  const oldest = nodeVersions[major]
  if (oldest !== undefined && Number(minor) >= oldest)
    return { about: 'node', state: 'good', text: `Node ${version}.` }
  return {
    about: 'node',
    state: 'bad',
    text:
      oldest === undefined
        ? `Node ${version} cannot run strategies: isolated-vm has no binaries for it.`
        : `Node ${version} is older than ${major}.${oldest}.`,
    remedy: 'Install Node 26; in a clone, npm install brings it, and npm start uses it',
  }
}

/** Compares this machine's clock with the one of an exchange (https://docs.kraken.com/api, `GET /0/public/Time`). */
export async function clock({ market, exchangeEndpoints }: Config): Promise<Finding> {
  const about = 'clock'
  if (market.kind !== 'live') {
    return { about, state: 'good', text: 'Prices do not come from exchanges, so nobody compares the clock.' }
  }
  const url = `${exchangeEndpoints.kraken?.rest ?? clockUrl}/0/public/Time`
  try {
    const sentAt = Date.now()
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    const { result } = (await response.json()) as { result?: { unixtime?: unknown } }
    if (!Number.isSafeInteger(result?.unixtime)) throw new Error(`it answered ${response.status}`)
    const earliest = (result!.unixtime as number) * 1000
    return judged(offBy(sentAt, Date.now(), earliest))
  } catch (error) {
    return {
      ...{
        about,
        state: 'note',
        text: `The clock is not compared: ${new URL(url).host}: ${wordsOf(error)}.`,
      },
      remedy: 'Exchanges refuse orders from a wrong clock: keep it right with NTP (timedatectl set-ntp true)',
    }
  }
}

/**
 * By how many milliseconds this clock is ahead, at least; 0 if it may be right. The exchange tells whole seconds, and
 * read them at some moment between question and answer.
 */
function offBy(sentAt: number, receivedAt: number, second: number): number {
  if (sentAt > second + 999) return sentAt - (second + 999)
  return receivedAt < second ? receivedAt - second : 0
}

function judged(off: number): Finding {
  const about = 'clock'
  if (Math.abs(off) <= mostOffMs) {
    return { about, state: 'good', text: 'The clock agrees with the one of an exchange.' }
  }
  const [amount, where] = [(Math.abs(off) / 1000).toFixed(1), off > 0 ? 'ahead' : 'behind']
  return {
    ...{ about, state: 'bad', text: `The clock is ${amount} s ${where}: exchanges will refuse orders.` },
    remedy: 'timedatectl set-ntp true',
  }
}

/** Starts an executor, as the service does. One finding for each layer of containment. */
export async function containment({ sandboxJit, demandsFullContainment }: Config): Promise<Finding[]> {
  const about = 'containment'
  const reasons = new Map<string, string>()
  try {
    await using sandbox = await openSandbox({
      ...{ executors: 1, jit: sandboxJit },
      log: (_, facts) => {
        for (const [layer, reason] of Object.entries(facts.missing ?? {})) reasons.set(layer, String(reason))
      },
    })
    const { containment: level, containmentLayers, containmentMissing } = sandbox.stats()
    const has = containmentLayers.length === 0 ? 'only the permissions of Node' : containmentLayers.join(', ')
    const text = `Strategies run contained by ${has}.`
    const first: Finding =
      level === 'full'
        ? { about, state: 'good', text }
        : {
            about,
            state: demandsFullContainment ? 'bad' : 'note',
            text,
            remedy: containmentRemedy(containmentMissing),
          }
    return [
      first,
      ...containmentMissing.map(
        (layer): Finding => ({
          ...{
            about,
            state: 'note',
            text: `The layer ${layer} is missing: ${reasons.get(layer) ?? 'unknown'}`,
          },
          remedy: `It needs ${layerNeeds[layer]} (docs/operations.md#containment)`,
        }),
      ),
    ]
  } catch (error) {
    return [{ about, state: 'bad', text: `No strategy can run here: ${wordsOf(error)}.` }]
  }
}
