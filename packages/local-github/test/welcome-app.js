// An App that knows nothing of this repository: what Probot's documentation shows (probot/probot: README.md,
// docs/github-api.md, docs/pagination.md, docs/best-practices.md, docs/extensions.md), with the addresses of Octokit's
// methods as Probot 14 has them. No App that npm has runs with a Probot of these years: `dco` and `wip` are other programs than
// dcoapp/app and wip/app, probot-stale wants Probot 0.8, probot-app-todos Probot 3, @graphql-inspector/github Probot 9.
const greeting = (context) => context.config('welcome.yml', { greeting: 'Hello World!' });

export default (app) => {
  app.on('issues.opened', async (context) => {
    const { greeting: body } = await greeting(context);
    await context.octokit.rest.issues.createComment(context.issue({ body }));
    await context.octokit.rest.issues.addLabels(context.issue({ labels: ['welcome'] }));
  });

  app.on('issue_comment.created', async (context) => {
    if (context.isBot) return;
    const words = /^\/label (.+)$/m.exec(context.payload.comment.body);
    if (words === null) return;
    const labels = words[1].split(/, */);
    await context.octokit.rest.issues.addLabels(context.issue({ labels }));
    const all = await context.octokit.paginate(
      context.octokit.rest.issues.listComments,
      context.issue({ per_page: 1 }),
      (response) => response.data,
    );
    const { comment } = context.payload;
    await context.octokit.rest.reactions.createForIssueComment(
      context.repo({ comment_id: comment.id, content: all.length > 1 ? 'rocket' : 'eyes' }),
    );
  });

  app.on(['pull_request.opened', 'pull_request.synchronize'], async (context) => {
    const { head, number } = context.payload.pull_request;
    const files = await context.octokit.paginate(
      context.octokit.rest.pulls.listFiles,
      context.pullRequest({ per_page: 1 }),
    );
    await context.octokit.rest.repos.createCommitStatus(
      context.repo({ sha: head.sha, state: 'pending', context: 'welcome/size' }),
    );
    await context.octokit.rest.checks.create(
      context.repo({
        name: 'welcome',
        head_sha: head.sha,
        status: 'completed',
        conclusion: 'success',
        completed_at: new Date().toISOString(),
        output: { title: `#${number}`, summary: `${files.length} files` },
      }),
    );
    await context.octokit.rest.repos.createCommitStatus(
      context.repo({ sha: head.sha, state: 'success', context: 'welcome/size' }),
    );
  });

  app.onAny(async (context) => {
    context.log.info({ event: context.name, action: context.payload.action });
  });
};
