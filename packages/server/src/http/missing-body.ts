import type { FastifyRequest } from 'fastify'

/** For `preValidation` of a route whose body may be left out: an empty body counts as `{}`. */
export async function allowMissingBody(request: Pick<FastifyRequest, 'body'>): Promise<void> {
  request.body ??= {}
}
