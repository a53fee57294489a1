/**
 * A process with a sandbox and one run, for a test that pauses it. It says `asked` when the run waits for an answer, which
 * it never gets. If the run begins again, it gets one. At the end, the process prints the outcome as JSON.
 */

import { openSandbox } from '../src/index.ts'
import { inputOf, recordingHost } from '../src/test-support.ts'

const host = recordingHost({
  http: async () => {
    if (host.requests.length > 1) return { status: 200, text: 'an answer', cache: false }
    console.log('asked')
    return await new Promise(() => {})
  },
})
await using sandbox = await openSandbox({ executors: 1, timeoutMs: Number(process.argv[2]) })
const code = `$.log((await $.Http.get('https://example.com')).text)`
const { status, violation, log } = await sandbox.run({ strategyId: 1, code, input: inputOf(), host })
console.log(JSON.stringify({ status, violation, log, requests: host.requests.length }))
