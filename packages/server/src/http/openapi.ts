import swagger from '@fastify/swagger'
import { serviceVersion } from '../base/service-version.ts'
import { securitySchemes } from './authentication.ts'
import { serveReferencePage } from './reference-page.ts'
import type { App } from './types.ts'

const description = `Tickwright receives alerts and market data, runs trading strategies in a sandbox, and places their orders.

Every request under \`/api/v2\` is signed with an API key, or carries the cookie of a signed-in browser. Anyone may read this page without signing in.

Ids in bodies may be numbers or texts. Deprecated fields and operations are those that scripts from the hosted service use.

The packages and the changelog show the same version as this page. Its first number is the \`v2\` in the paths.`

/** Serves `/api/v2/openapi.json`, made from the schemas of the routes, and its readable form at `/docs`. */
export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tickwright',
        version: serviceVersion,
        description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // Relative, so that the document is right under every address of the service.
      servers: [{ url: '/', description: 'This service.' }],
      tags: [
        { name: 'Exchanges', description: 'The catalogue of exchanges.' },
        { name: 'Market', description: 'Candles, markets and prices of exchanges.' },
        { name: 'Candles', description: 'Stored candles and funding rates, for backtests.' },
        { name: 'Data webhooks', description: 'Addresses that receive JSON from outside.' },
        { name: 'Bot webhooks', description: 'Addresses that receive signals from outside.' },
        { name: 'Ingestion', description: 'The addresses that senders post to.' },
        { name: 'Code strategies', description: 'JavaScript that a schedule or a price triggers.' },
        { name: 'Code reactions', description: 'JavaScript that runs for each delivery.' },
        { name: 'AI reactions', description: 'Prompts that a language model answers for each delivery.' },
        { name: 'AI sessions', description: 'Prompts that a language model answers on a schedule.' },
        {
          name: 'Approvals',
          description: 'Actions and changes of language models that wait for your approval.',
        },
        {
          name: 'Test runs',
          description: 'Run code or a prompt without sending signals or storing anything.',
        },
        { name: 'Backtests', description: 'What code would have done on candles of the past.' },
        { name: 'Environment variables', description: 'Encrypted values that code reads from `$.Env`.' },
        { name: 'Runs', description: 'The result, log and requests of each run.' },
        {
          name: 'Signals',
          description: 'The actions of strategies, and the signals that bot webhooks received.',
        },
        { name: 'Signal bots', description: 'Bots turn signals into orders, on paper or live.' },
        {
          name: 'Prediction bots',
          description: 'Bots for prediction markets. There is no venue for them yet, so they stay off.',
        },
        {
          name: 'DEX bots',
          description: 'Bots for DEXes. There is no venue for them yet, so they stay off.',
        },
        {
          name: 'Orders and positions',
          description: 'The orders and fills of bots, and their open positions.',
        },
        { name: 'Statistics', description: 'What bots earned and lost.' },
        { name: 'Deployment', description: 'What you keep in files, saved in one transaction.' },
        { name: 'Exchange connections', description: 'Your accounts on exchanges, for live bots.' },
        { name: 'Prediction connections', description: 'Your accounts on prediction markets.' },
        { name: 'AI connections', description: 'Your access to providers of language models.' },
        { name: 'Live', description: 'A stream of what happens.' },
        { name: 'Trading', description: 'The switch for all trading of the installation.' },
        { name: 'Notifications', description: 'Events that the service posts to your endpoints.' },
        { name: 'Chat', description: 'Who may use your account from Telegram.' },
        {
          name: 'Users',
          description: 'Sign-up and sign-in, passwords, the second factor, and the audit log.',
        },
        { name: 'Mail', description: 'The mails that the service has sent you.' },
        { name: 'API keys', description: 'The keys that sign requests.' },
        { name: 'Search', description: 'Finds what you have, by name, description and id.' },
        { name: 'Operations', description: 'Health, metrics and the state of the installation.' },
      ],
      components: { securitySchemes },
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `Schema${index}`,
    },
  })
  app.get('/api/v2/openapi.json', { schema: { hide: true } }, () => app.swagger())
  serveReferencePage(app)
}
