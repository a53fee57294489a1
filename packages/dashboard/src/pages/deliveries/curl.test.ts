import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf } from './curl.ts'

const url = "http://127.0.0.1:3000/data-webhook/it's"

/** What a shell makes of the command: the arguments of curl, and what it reads. */
function run(command: string): { args: string[]; input: string } {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; printf '\\1'; case "$*" in *"@-"*) cat;; esac; }\n${command}`
  const [args, input] = execFileSync('sh', { input: script, encoding: 'utf8' }).split('\u0001')
  return { args: args!.split('\0').slice(0, -1), input: input! }
}

const bodyOf = (command: string) => {
  const { args, input } = run(command)
  const data = args[args.indexOf('--data-binary') + 1]!
  return data === '@-' ? input : data
}

test('a shell passes the payload on as it is, whatever it has', () => {
  const body = '{"a": "it\'s $HOME `id` \\\\ \\" !!", "n": 12345678901234567890.10}'
  const command = curlOf({ url, body, contentType: undefined, needsKey: true })
  assert.equal(bodyOf(command), body)
  assert.deepEqual(run(command).args.slice(0, 5), [
    '-H',
    'content-type: application/json',
    '-H',
    'x-key: YOUR_PASSWORD',
    url,
  ])
})

test('characters that a terminal could obey are written as JSON writes them', () => {
  const body = '{\t"a": "\u009b201~\u202e\u{e0041}"\r\n}'
  const command = curlOf({ url, body, contentType: 'text/plain\u202e', needsKey: false })
  assert.doesNotMatch(command, /[^\n -~]/)
  assert.deepEqual(JSON.parse(bodyOf(command)), JSON.parse(body))
})

test('a payload that is too long for an argument comes by the input', () => {
  const body = JSON.stringify({ text: 'x'.repeat(256_000) }, null, 1).replace('{', '{\nPAYLOAD\n')
  assert.equal(bodyOf(curlOf({ url, body, contentType: undefined, needsKey: false })), `${body}\n`)
})
