import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import type { App } from './types.ts'

/** Allows only files and the API of this service. Nothing inline runs, and no text becomes markup. */
const directives = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'"],
  'manifest-src': ["'self'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
}

const strict: FastifyHelmetOptions = {
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // It would apply to every port of the host. The proxy that has the certificate should decide that.
  strictTransportSecurity: false,
}

/** Gives all answers of `scope` the security headers of a page. */
export async function useStrictHeaders(scope: App): Promise<void> {
  await scope.register(helmet, { ...strict, contentSecurityPolicy: { useDefaults: false, directives } })
}

/**
 * The same for the pages of the dashboard, which start one worker: the one that knows the types of strategies. The rule
 * with this name is in the scripts of the dashboard, and lets through only the address of that worker.
 */
export async function useDashboardHeaders(scope: App): Promise<void> {
  const withWorker = { ...directives, 'worker-src': ["'self'"], 'trusted-types': ['tickwright-types'] }
  await scope.register(helmet, {
    ...strict,
    contentSecurityPolicy: { useDefaults: false, directives: withWorker },
  })
}
