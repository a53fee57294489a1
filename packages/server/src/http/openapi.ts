import swagger from '@fastify/swagger'
import { securitySchemes } from './authentication.ts'
import { serveReferencePage } from './reference-page.ts'
import type { App } from './types.ts'

/** The version of the interface, not of the software (source, section 9). */
export const apiVersion = '2.1.0'

/** Serves `/api/v2/openapi.json`, made from the schemas of the routes, and its readable form at `/docs`. */
export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tickwright',
        version: apiVersion,
        description:
          'Exchange catalogue, data webhooks, sandboxed strategies and signals. Requests under /api/v2 are signed, or come with the session cookie of somebody who is signed in.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        { name: 'Exchanges', description: 'The catalogue of exchanges.' },
        { name: 'Data webhooks', description: 'Endpoints that take JSON from outside.' },
        { name: 'Bot webhooks', description: 'Endpoints that take signals from outside.' },
        { name: 'Ingestion', description: 'Where senders post.' },
        { name: 'Code strategies', description: 'JavaScript that the clock or a price sets off.' },
        { name: 'Code reactions', description: 'JavaScript that runs for each delivery.' },
        { name: 'Environment variables', description: 'What code reads from `$.Env`.' },
        { name: 'Runs', description: 'What became of each run.' },
        { name: 'Signals', description: 'What strategies decided, and what came in by bot webhooks.' },
        { name: 'Signal bots', description: 'What turns signals into orders, on paper and live.' },
        { name: 'Orders and positions', description: 'What bots did, and what they hold.' },
        { name: 'Exchange connections', description: 'Accounts on exchanges that live bots trade with.' },
        { name: 'Trading', description: 'The switch for all trading of the installation.' },
        { name: 'Users', description: 'Signing in and up, passwords, the second factor, and the audit log.' },
        { name: 'API keys', description: 'Keys that requests are signed with.' },
        { name: 'Operations', description: 'Health and metrics.' },
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
