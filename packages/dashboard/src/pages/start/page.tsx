import { createLazyRoute } from '@tanstack/react-router'
import { Button } from '../../parts/Button.tsx'
import { Page } from '../../parts/Page.tsx'
import { hideFirstSteps, useFirstStepsHidden } from '../../shell/first-steps.ts'
import { ExampleAtWork } from './ExampleAtWork.tsx'
import { OwnStrategy } from './OwnStrategy.tsx'

export const Route = createLazyRoute('/signed-in/start')({ component: FirstSteps })

/** The example at work, and the way from there to a strategy of one's own. */
function FirstSteps() {
  const isHidden = useFirstStepsHidden()
  return (
    <Page
      title="First steps"
      actions={
        <Button look="quiet" onClick={() => hideFirstSteps(!isHidden)}>
          {isHidden ? 'Show in the rail' : 'Hide from the rail'}
        </Button>
      }
    >
      <ExampleAtWork />
      <OwnStrategy />
    </Page>
  )
}
