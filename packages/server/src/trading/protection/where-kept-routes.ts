import { Type } from 'typebox'
import { notFound } from '../../base/errors.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { signedRequest } from '../../http/authentication.ts'
import { errorResponses, IdParameter } from '../../http/schemas.ts'
import type { Routes } from '../../http/types.ts'
import { type Keeper, type WhereKept, whereKept } from './where-kept.ts'

const keeper = (what: string) =>
  Type.Enum(['exchange', 'watched'], {
    description: `\`exchange\`: an order there keeps ${what}. \`watched\`: only the service acts, while it is running.`,
  })
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const Offer = Type.Object({
  stop: textOrNull('Its order for a stop; `null`: none that fits.'),
  targets: textOrNull('Its order for targets; `null`: none that fits.'),
  client_id: textOrNull('The field by which such an order can be found again; `null`: none.'),
  note: textOrNull('What else matters there.'),
})

const ExchangeProtection = Type.Object({
  exchange_id: Type.Integer(),
  name: Type.String(),
  service: Type.String(),
  stop: keeper('the stop of a live position'),
  targets: keeper('its targets'),
  note: Type.String({ description: 'What that means, for a person.' }),
  offers: Type.Union([Offer, Type.Null()], {
    description:
      'What the exchange has for it, whether the service uses it or not; `null`: nobody has looked.',
  }),
})

function noteOf({ stop, targets }: WhereKept): string {
  if (stop === 'service') {
    return 'The service watches the price and closes with a market order. Nothing is placed at the exchange, so nothing acts while the service is not running.'
  }
  const what =
    targets === 'exchange'
      ? 'The stop and the targets of a live position are orders at the exchange, which act'
      : 'The stop of a live position is an order at the exchange, which acts'
  return `${what} also while the service is not running. The service watches everything else.`
}

/** Where each exchange keeps the protection of positions. */
export function whereKeptRoutes(catalogue: Pick<Catalogue, 'find'>): Routes {
  return (scope) => {
    scope.get(
      '/exchange/:id/protection',
      {
        schema: {
          tags: ['Exchanges'],
          summary: 'Read where an exchange keeps the protection of positions',
          description:
            'Says whether the stops and targets of live positions are orders at the exchange, or are only watched by the service. Paper positions are always watched.',
          security: signedRequest,
          params: IdParameter,
          response: { 200: ExchangeProtection, ...errorResponses(400, 401, 404, 500) },
        },
      },
      ({ params: { id } }) => {
        const found = catalogue.find(id)
        if (found === undefined) throw notFound('exchange', id)
        const kept = whereKept(found)
        const { stop, targets, offer } = kept
        return {
          ...{ exchange_id: id, name: found.name, service: found.service },
          ...{ stop: shown(stop), targets: shown(targets), note: noteOf(kept) },
          offers: offer && {
            stop: offer.stop,
            targets: offer.targets,
            client_id: offer.id,
            note: offer.note,
          },
        }
      },
    )
  }
}

function shown(kept: Keeper): 'exchange' | 'watched' {
  return kept === 'exchange' ? 'exchange' : 'watched'
}
