// First of all: it takes the token of a link out of the address.
import './data/taken-token.ts'
import './look/tokens.css'
import './look/base.css'
// Most visits begin there. Its parts in files of their own would be 3 KB more, and twenty requests.
import './pages/overview/page.tsx'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './data/queries.ts'
import { startLook } from './look/settings.ts'
import { router } from './routes.tsx'

startLook()
void start()

/** The top level must not wait: pages import this file. See `build/first-file.ts`. */
async function start(): Promise<void> {
  // Drawing waits until the page is there: React would keep a skeleton that it has drawn for 300 ms.
  await Promise.race([router.load(), new Promise((resolve) => setTimeout(resolve, 1_000))])
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  )
}
