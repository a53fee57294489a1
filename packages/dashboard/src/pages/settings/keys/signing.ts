/** Programs that sign requests with an API key, and what an agent reads, for people to copy. */

export type Program = { id: string; name: string; text: string; note: string }

export function programsFor(origin: string): Program[] {
  return [
    { id: 'shell', name: 'Shell', text: shell(origin), note: noteOnShell },
    { id: 'javascript', name: 'JavaScript', text: javascript(origin), note: noteOnJavaScript },
    { id: 'agent', name: 'Agent', text: agent(origin), note: noteOnAgents },
  ]
}

const noteOnShell =
  'For keys of the kind HMAC. Other users of the machine can see the secret while openssl runs: on a machine that you share, use JavaScript.'
const noteOnJavaScript =
  'For keys of the kind HMAC, in Node. The client library does the same, and tries again.'
const noteOnAgents =
  'Agents that speak the Model Context Protocol come in with the token of a key instead of a signature. YOUR_MCP_TOKEN stands for it.'

const shell = (origin: string) => `TICKWRIGHT_URL=${origin}
TICKWRIGHT_API_KEY=...
TICKWRIGHT_API_SECRET=...

api() { # METHOD PATH [BODY]
  timestamp=$(date +%s)
  signature=$(printf %s "$1$2\${3-}$timestamp" | openssl dgst -sha256 -hmac "$TICKWRIGHT_API_SECRET" -r | cut -d ' ' -f 1)
  curl -sS -X "$1" "$TICKWRIGHT_URL$2" \\
    -H "api-key: $TICKWRIGHT_API_KEY" -H "timestamp: $timestamp" -H "signature: $signature" \\
    \${3+-H content-type:application/json --data-raw "$3"}
}

api GET /api/v2/user/me`

const javascript = (origin: string) => `import { createHmac } from 'node:crypto'
import { env } from 'node:process'

const { TICKWRIGHT_API_KEY, TICKWRIGHT_API_SECRET } = env

async function api(method, path, body = '') {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', TICKWRIGHT_API_SECRET).update(method + path + body + timestamp).digest('hex')
  const headers = { 'api-key': TICKWRIGHT_API_KEY, timestamp, signature }
  if (body !== '') headers['content-type'] = 'application/json'
  const response = await fetch('${origin}' + path, { method, headers, body: body || undefined })
  return response.json()
}

console.log(await api('GET', '/api/v2/user/me'))`

const agent = (origin: string) =>
  JSON.stringify(
    {
      mcpServers: {
        tickwright: {
          type: 'http',
          url: `${origin}/mcp`,
          headers: { Authorization: 'Bearer YOUR_MCP_TOKEN' },
        },
      },
    },
    null,
    2,
  )
