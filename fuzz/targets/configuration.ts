import assert from 'node:assert/strict'
import { ConfigError, readConfig } from '../../packages/server/src/config.ts'
import { textTarget } from '../target.ts'

const secrets = [
  'MASTER_KEY',
  'DATABASE_URL',
  'SMTP_URL',
  'TICKWRIGHT_ADMIN_PASSWORD',
  'TICKWRIGHT_ADMIN_API_SECRET',
]

/** Lines of `NAME=value` are a configuration, or the error is one sentence that names the variable and no secret. */
export default textTarget({
  seeds: [
    'PORT=3000\nHOST=127.0.0.1\nPUBLIC_URL=https://a.example',
    'HOST=::\nTRUSTED_PROXIES=10.0.0.0/8, ::1\nROLES=api,worker',
    `MASTER_KEY=${'ab'.repeat(32)}\nDATABASE_URL=postgres://u:p@h/d\nSMTP_URL=smtp://u:p@h:25\nMAIL_FROM=a@b.c\nSIGN_UP=open`,
    'HTTP_ALLOW=localhost:80,[::1]:8080\nMARKET=sim\nMARKET_SPEED=2.5\nWEBHOOK_RATE=1\nRETENTION_DAYS=9',
    'EXCHANGE_ENDPOINTS={"binance":{"rest":"http://127.0.0.1:1","ws":"ws://h:2"}}\nLOG_LEVEL=debug',
    'TICKWRIGHT_ADMIN_EMAIL=a@b\nTICKWRIGHT_ADMIN_PASSWORD=twelve letters\nTICKWRIGHT_ADMIN_API_KEY=12345678\nTICKWRIGHT_ADMIN_API_SECRET=1234567890123456',
  ],
  words: [
    '\nHOST=',
    '\nPORT=',
    '\nPUBLIC_URL=',
    '\nSMTP_URL=',
    '\nDATABASE_URL=',
    '\nHTTP_ALLOW=',
    '\nMARKET=',
    '://',
    '%',
    '\0',
    '[',
    '__proto__',
    'http:',
    '/24',
    '.csv',
  ],
  check: (text) => {
    const env: Record<string, string> = {}
    for (const line of text.split('\n')) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(line) ?? []
      if (name !== undefined) env[name] = value!
    }
    try {
      const config = readConfig(env)
      assert.ok(URL.canParse(config.publicUrl), config.publicUrl)
      assert.match(config.mailFrom, /^[^\s@]+@[^\s@]+$/)
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error))
      const named = Object.keys(env).some((name) => error.message.includes(name))
      assert.ok(named, error.message)
      // A value that also appears elsewhere is not secret.
      const told = Object.keys(env)
        .filter((name) => !secrets.includes(name))
        .map((name) => env[name])
      for (const name of secrets) {
        const value = env[name]?.trim() ?? ''
        const isSecret = value.length > 20 && !told.some((text) => text?.includes(value))
        assert.ok(!isSecret || !error.message.includes(value), error.message)
      }
    }
  },
})
