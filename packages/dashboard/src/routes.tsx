import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { ApiError } from '@tickwright/client'
import { lazy, Suspense } from 'react'
import { withOpen } from './base/search.ts'
import { live } from './data/live.ts'
import { meQuery, queries } from './data/queries.ts'
import { sessionHasEnded } from './data/session-state.ts'
import { readAdministrationSearch } from './pages/administration/search.ts'
import { type AiKind, isAiKind } from './pages/ai-strategies/kinds.ts'
import { readApprovalFilters } from './pages/approvals/filters.ts'
import { readBacktestSearch, readNewBacktestSearch } from './pages/backtests/search.ts'
import {
  readBotFilters,
  readBotSearch,
  readNewBotSearch,
  readWithoutVenueSearch,
} from './pages/bots/search.ts'
import { readGallerySearch } from './pages/gallery/search.ts'
import { readOverviewSearch } from './pages/overview/search.ts'
import { readRunFilters } from './pages/runs/filters.ts'
import { readSettingsSearch } from './pages/settings/areas.ts'
import { readSignalFilters } from './pages/signals/filters.ts'
import { readNewStrategy, readStrategyView } from './pages/strategies/addresses.ts'
import { readStrategyFilters } from './pages/strategies/filters.ts'
import { readTradingFilters } from './pages/trading/filters.ts'
import { readWebhookView } from './pages/webhooks/view.ts'
import { Skeleton } from './parts/Notice.tsx'
import { PageError } from './shell/PageError.tsx'
import { Shell } from './shell/Shell.tsx'

// Not where the routes are made: there, the types of both would depend on each other.
const readRunSearch = withOpen(readRunFilters)
const readSignalSearch = withOpen(readSignalFilters)
const readWebhookSearch = withOpen(readWebhookView)

const NoSuchPage = lazy(() => import('./shell/NoSuchPage.tsx').then((page) => ({ default: page.NoSuchPage })))

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    // Only a path of this dashboard: never an address of another site.
    const { next } = search
    return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {}
  },
}).lazy(() => import('./pages/sign-in/page.tsx').then((page) => page.Route))

/** The pages that links in mails open. They take the token out of the address themselves. */
const signUp = createRoute({ getParentRoute: () => root, path: '/signup' }).lazy(() =>
  import('./pages/sign-up/sign-up-page.tsx').then((page) => page.Route),
)

const reset = createRoute({ getParentRoute: () => root, path: '/reset' }).lazy(() =>
  import('./pages/sign-up/reset-page.tsx').then((page) => page.Route),
)

const email = createRoute({ getParentRoute: () => root, path: '/email' }).lazy(() =>
  import('./pages/sign-up/email-page.tsx').then((page) => page.Route),
)

/** Everything that needs a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queries.ensureQueryData(meQuery)
      // Before what the page reads: whatever happens from then on reaches it, and nothing need be read twice.
      if (!sessionHasEnded()) live.start()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      live.stop()
      throw redirect({ to: '/sign-in', search: { next: location.href } })
    }
  },
})

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/start',
  validateSearch: ({ delivery }: Record<string, unknown>): { delivery?: number } =>
    Number.isSafeInteger(delivery) && Number(delivery) > 0 ? { delivery: Number(delivery) } : {},
}).lazy(() => import('./pages/start/page.tsx').then((page) => page.Route))

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/overview',
  validateSearch: readOverviewSearch,
}).lazy(() => import('./pages/overview/page.tsx').then((page) => page.Route))

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: readRunSearch,
}).lazy(() => import('./pages/runs/page.tsx').then((page) => page.Route))

const run = createRoute({ getParentRoute: () => signedIn, path: '/runs/$id' }).lazy(() =>
  import('./pages/runs/run-page.tsx').then((page) => page.Route),
)

const approvals = createRoute({
  getParentRoute: () => signedIn,
  path: '/approvals',
  validateSearch: readApprovalFilters,
}).lazy(() => import('./pages/approvals/page.tsx').then((page) => page.Route))

const aiStrategies = createRoute({
  getParentRoute: () => signedIn,
  path: '/ai-strategies',
  validateSearch: readAiKind,
}).lazy(() => import('./pages/ai-strategies/page.tsx').then((page) => page.Route))

const newAiStrategy = createRoute({
  getParentRoute: () => signedIn,
  path: '/ai-strategies/new',
  validateSearch: readAiKind,
}).lazy(() => import('./pages/ai-strategies/new-page.tsx').then((page) => page.Route))

const aiStrategy = createRoute({
  getParentRoute: () => signedIn,
  path: '/ai-strategies/$kind/$id',
  validateSearch: readTab,
}).lazy(() => import('./pages/ai-strategies/strategy-page.tsx').then((page) => page.Route))

const webhooks = createRoute({ getParentRoute: () => signedIn, path: '/webhooks' }).lazy(() =>
  import('./pages/webhooks/page.tsx').then((page) => page.Route),
)

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$kind/$id',
  validateSearch: readWebhookSearch,
  // Where a delivery was before it had a page of its own.
  beforeLoad: ({ params: { kind, id }, search: { delivery } }) => {
    if (kind === 'bot' && delivery !== undefined)
      throw redirect({
        to: '/webhooks/bot/$id/deliveries/$delivery',
        params: { id, delivery: String(delivery) },
        replace: true,
      })
  },
}).lazy(() => import('./pages/webhooks/webhook-page.tsx').then((page) => page.Route))

const signalDelivery = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/bot/$id/deliveries/$delivery',
}).lazy(() => import('./pages/deliveries/signal-page.tsx').then((page) => page.Route))

const delivery = createRoute({ getParentRoute: () => signedIn, path: '/deliveries/$id' }).lazy(() =>
  import('./pages/deliveries/page.tsx').then((page) => page.Route),
)

const backtests = createRoute({ getParentRoute: () => signedIn, path: '/backtests' }).lazy(() =>
  import('./pages/backtests/page.tsx').then((page) => page.Route),
)

const newBacktest = createRoute({
  getParentRoute: () => signedIn,
  path: '/backtests/new',
  validateSearch: readNewBacktestSearch,
}).lazy(() => import('./pages/backtests/new-page.tsx').then((page) => page.Route))

const backtest = createRoute({
  getParentRoute: () => signedIn,
  path: '/backtests/$id',
  validateSearch: readBacktestSearch,
}).lazy(() => import('./pages/backtests/backtest-page.tsx').then((page) => page.Route))

const bots = createRoute({
  getParentRoute: () => signedIn,
  path: '/bots',
  validateSearch: readBotFilters,
}).lazy(() => import('./pages/bots/page.tsx').then((page) => page.Route))

const newBot = createRoute({
  getParentRoute: () => signedIn,
  path: '/bots/new',
  validateSearch: readNewBotSearch,
}).lazy(() => import('./pages/bots/new-page.tsx').then((page) => page.Route))

const botsWithoutVenue = createRoute({
  getParentRoute: () => signedIn,
  path: '/bots/without-venue',
  validateSearch: readWithoutVenueSearch,
}).lazy(() => import('./pages/bots/without-venue-page.tsx').then((page) => page.Route))

const bot = createRoute({
  getParentRoute: () => signedIn,
  path: '/bots/$id',
  validateSearch: readBotSearch,
}).lazy(() => import('./pages/bots/bot-page.tsx').then((page) => page.Route))

const allSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$area', params: { area: 'keys' }, replace: true })
  },
})

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/$area',
  validateSearch: readSettingsSearch,
}).lazy(() => import('./pages/settings/page.tsx').then((page) => page.Route))

const code = createRoute({
  getParentRoute: () => signedIn,
  path: '/strategies/$kind/$id/code',
  validateSearch: readStart,
}).lazy(() => import('./pages/strategies/write/page.tsx').then((page) => page.Route))

const administration = createRoute({
  getParentRoute: () => signedIn,
  path: '/administration',
  validateSearch: readAdministrationSearch,
}).lazy(() => import('./pages/administration/page.tsx').then((page) => page.Route))

/** Only in builds for developers: others do not even contain it. */
const forDevelopers = IN_DEVELOPMENT
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/gallery',
        validateSearch: readGallerySearch,
      }).lazy(() => import('./pages/gallery/page.tsx').then((page) => page.Route)),
    ]
  : []

const strategies = createRoute({
  getParentRoute: () => signedIn,
  path: '/strategies',
  validateSearch: readStrategyFilters,
}).lazy(() => import('./pages/strategies/page.tsx').then((page) => page.Route))

const newStrategy = createRoute({
  getParentRoute: () => signedIn,
  path: '/strategies/new',
  validateSearch: readNewStrategy,
}).lazy(() => import('./pages/strategies/new-page.tsx').then((page) => page.Route))

const strategy = createRoute({
  getParentRoute: () => signedIn,
  path: '/strategies/$kind/$id',
  validateSearch: readStrategyView,
}).lazy(() => import('./pages/strategies/strategy-page.tsx').then((page) => page.Route))

const signals = createRoute({
  getParentRoute: () => signedIn,
  path: '/signals',
  validateSearch: readSignalSearch,
}).lazy(() => import('./pages/signals/page.tsx').then((page) => page.Route))

const signal = createRoute({ getParentRoute: () => signedIn, path: '/signals/$id' }).lazy(() =>
  import('./pages/signals/signal-page.tsx').then((page) => page.Route),
)

const trading = createRoute({
  getParentRoute: () => signedIn,
  path: '/trading',
  validateSearch: readTradingFilters,
}).lazy(() => import('./pages/trading/page.tsx').then((page) => page.Route))

const about = createRoute({ getParentRoute: () => signedIn, path: '/about' }).lazy(() =>
  import('./pages/about/page.tsx').then((page) => page.Route),
)

export const router = createRouter({
  routeTree: root.addChildren([
    ...forDevelopers,
    ...[signIn, signUp, reset, email],
    signedIn.addChildren([
      ...[home, start, overview],
      ...[strategies, newStrategy, strategy, code],
      ...[aiStrategies, newAiStrategy, aiStrategy, approvals],
      ...[webhooks, webhook, delivery, signalDelivery],
      ...[runs, run, signals, signal],
      ...[backtests, newBacktest, backtest],
      ...[bots, newBot, botsWithoutVenue, bot, trading],
      ...[allSettings, settings, administration, about],
    ]),
  ]),
  defaultPreload: 'intent',
  // Data has its own cache; the router need not keep it too.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: PageError,
  scrollRestoration: false,
  // What no page has checked stays in the address, and no page sees it.
  search: { strict: true },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** A kind of AI strategies. */
function readAiKind({ kind }: Record<string, unknown>): { kind?: AiKind } {
  return isAiKind(kind) ? { kind } : {}
}

/** The chosen tab of a page. An unknown one shows the first. */
function readTab({ tab }: Record<string, unknown>): { tab?: string } {
  return typeof tab === 'string' ? { tab } : {}
}

/** The delivery or the run whose payload a test run begins with. */
function readStart({ delivery, run }: Record<string, unknown>): { delivery?: number; run?: number } {
  const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
  return { ...(isId(delivery) ? { delivery } : {}), ...(isId(run) ? { run } : {}) }
}

/** Loaded only where it is needed: most people never see it. */
function NotFound() {
  return (
    <Suspense fallback={null}>
      <NoSuchPage />
    </Suspense>
  )
}
